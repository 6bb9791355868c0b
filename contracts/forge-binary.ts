import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The path of forge itself for this platform, without the package's launcher. */
export function forgeBinary(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const forge = `@foundry-rs/forge-${process.platform}-${cpu}/package.json`
  const resolve = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/forge/package.json')).resolve
  return join(dirname(resolve(forge)), 'bin/forge')
}
