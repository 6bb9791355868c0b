import { join } from 'node:path'
import { Glob } from 'bun'
import { compilerInputs } from './compile.ts'

const folder = join(import.meta.dir, 'artifacts')
const path = join(folder, 'digest.json')

/** SHA-256 of what the compiler reads, and of what it wrote. */
export interface Digest {
  readonly sources: string
  readonly artifacts: string
}

/** Digest of the sources, the settings, the compiler and the artifacts as they are on disk. */
export async function currentDigest(): Promise<Digest> {
  const { version } = await Bun.file(join(import.meta.dir, '../node_modules/solc/package.json')).json()
  const names = [...new Glob('**/*.{json,ts}').scanSync(folder)].filter((name) => name !== 'digest.json').toSorted()
  const files = names.map(async (name) => [name, await Bun.file(join(folder, name)).text()])
  return {
    sources: sha256([version, await compilerInputs()]),
    artifacts: sha256(await Promise.all(files)),
  }
}

/** The digest that build.ts wrote with the artifacts. */
export const recordedDigest = (): Promise<Digest> => Bun.file(path).json()

export async function recordDigest(): Promise<void> {
  await Bun.write(path, `${JSON.stringify(await currentDigest(), null, 2)}\n`)
}

const sha256 = (value: unknown) => new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex')
