import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from '../../src/devnet/servers/cache-folder'
import { runProgram } from '../../src/devnet/servers/run-program'

/** What a folder of the cache holds once it is made, by all processes together. */
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
 * A virtual environment with the packages of a requirements.txt. It names its own path, so it is made where it stays.
 */
export const pythonPackages = (name: string, requirements: string): Promise<string> =>
  keptByPins(name, requirements, async (folder) => {
    await runProgram(['python3', '-m', 'venv', join(folder, 'venv')])
    const pip = [join(folder, 'venv/bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
    await runProgram([...pip, '-r', requirements])
  })

const unpacking = join(import.meta.dir, '../../src/devnet/servers/documentdb.sh')

/** A program of the package of this name, from the suite of Debian that PostgreSQL is taken from. Nothing is installed. */
export async function debianProgram(name: string): Promise<string> {
  const folder = await keptByPins(`debian-${name}`, unpacking, (to) => runProgram([unpacking, 'unpack', to, name]))
  return join(folder, 'root/usr/bin', name)
}

export const hasDebian = ['apt-get', 'dpkg-deb'].every((name) => Bun.which(name) !== null)

/** Whether there is a Python that the packages run on and that makes virtual environments. */
export function isNewPython(): boolean {
  if (Bun.which('python3') === null) return false
  const { success } = Bun.spawnSync(['python3', '-c', 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'])
  return success
}
