import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from '../../src/devnet/servers/cache-folder'
import { runProgram } from '../../src/devnet/servers/run-program'

/** Path of a cached folder. Concurrent processes create it only once. */
export async function keptByPins(
  name: string,
  pins: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const digest = Bun.SHA256.hash(await Bun.file(pins).text(), 'hex').slice(0, 16)
  const folder = join(await cacheFolder(), `${name}-${digest}`)
  if (existsSync(join(folder, 'made'))) return folder
  return withLock(name, async () => {
    if (existsSync(join(folder, 'made'))) return folder
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await make(folder)
    await Bun.write(join(folder, 'made'), '')
    return folder
  })
}

/**
 * A Python virtual environment with the packages of a requirements.txt. It contains its own path, so it is created in
 * its final place.
 */
export const pythonPackages = (name: string, requirements: string): Promise<string> =>
  keptByPins(name, requirements, async (folder) => {
    await runProgram(['python3', '-m', 'venv', join(folder, 'venv')])
    const pip = [join(folder, 'venv/bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
    await runProgram([...pip, '-r', requirements])
  })

const unpacking = join(import.meta.dir, '../../src/devnet/servers/documentdb.sh')

/**
 * A program from a Debian package, of the suite that PostgreSQL comes from. The package is unpacked but not installed.
 */
export async function debianProgram(name: string, from = name): Promise<string> {
  const folder = await keptByPins(`debian-${from}`, unpacking, (to) => runProgram([unpacking, 'unpack', to, from]))
  return join(folder, 'root/usr/bin', name)
}

export const hasDebian = ['apt-get', 'dpkg-deb'].every((name) => Bun.which(name) !== null)

/** Whether a Python exists that can create virtual environments and run the packages. */
export function isNewPython(): boolean {
  if (Bun.which('python3') === null) return false
  const { success } = Bun.spawnSync(['python3', '-c', 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'])
  return success
}
