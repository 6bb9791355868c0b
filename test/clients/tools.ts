import { cp, mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { goToolchain } from '../../src/devnet/servers/go-program'
import { runProgram } from '../../src/devnet/servers/run-program'
import { isNewPython, keptByPins, pythonPackages } from '../support/kept-tools'
import { temporaryFolder } from '../support/temporary-folder'

const here = import.meta.dir

/** A program that uses a generated client. */
export type Program = { command: string[]; cwd: string }

/** A language with a generated client: its tools, cached by the digest of their pins, and its program. */
export type Language = {
  name: string
  /** Without this program on the machine, the language is skipped. */
  needs: string
  isHere: boolean
  /** @returns the command that uses the client, which is generated from the document in its own folder. */
  prepare(documentPath: string): Promise<Program>
}

/** The npm generators. They need the compiler's own API, which this project's TypeScript no longer has. */
export const npmTools = (): Promise<string> =>
  keptByPins('client-npm', join(here, 'typescript/package-lock.json'), async (folder) => {
    for (const name of ['package.json', 'package-lock.json'])
      await cp(join(here, 'typescript', name), join(folder, name))
    await runProgram(['npm', 'ci', '--ignore-scripts'], { cwd: folder })
  })

export const pythonTools = (): Promise<string> => pythonPackages('client-python', join(here, 'python/requirements.txt'))

async function copyOf(name: string): Promise<string> {
  const folder = join(temporaryFolder(`client-${name}`), name)
  await cp(join(here, name), folder, { recursive: true })
  return folder
}

const typescript: Language = {
  name: 'TypeScript, openapi-typescript',
  needs: 'npm',
  isHere: Bun.which('npm') !== null,
  async prepare(documentPath) {
    const [tools, cwd] = await Promise.all([npmTools(), copyOf('typescript')])
    await symlink(join(tools, 'node_modules'), join(cwd, 'node_modules'))
    const run = (program: string, ...args: string[]) =>
      runProgram([process.execPath, join(tools, 'node_modules', program), ...args], { cwd })
    await Promise.all([
      run('openapi-typescript/bin/cli.js', documentPath, '--output', 'schema.d.ts'),
      run('@hey-api/openapi-ts/bin/run.js', '--input', documentPath, '--output', 'hey'),
    ])
    await run('typescript/bin/tsc', '--project', 'tsconfig.json')
    return { command: [process.execPath, 'use.ts'], cwd }
  },
}

const python: Language = {
  name: 'Python, openapi-python-client',
  needs: 'python3 3.11 or newer with venv',
  isHere: isNewPython(),
  async prepare(documentPath) {
    const [tools, cwd] = await Promise.all([pythonTools(), copyOf('python')])
    const bin = join(tools, 'venv/bin')
    await runProgram(
      [
        join(bin, 'openapi-python-client'),
        'generate',
        '--path',
        documentPath,
        '--output-path',
        'made',
        '--meta',
        'none',
      ],
      { cwd, env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` } },
    )
    await rename(join(cwd, 'made'), join(cwd, 'switchyard_client'))
    return { command: [join(bin, 'python'), 'use.py'], cwd }
  },
}

const go: Language = {
  name: 'Go, oapi-codegen',
  needs: 'go',
  isHere: Bun.which('go') !== null,
  async prepare(documentPath) {
    const [program, cwd] = await Promise.all([goToolchain(() => {}), copyOf('go')])
    await mkdir(join(cwd, 'switchyard'))
    const generate = ['-package', 'switchyard', '-generate', 'types,client', '-o', 'switchyard/client.gen.go']
    await runProgram([program!, 'tool', 'oapi-codegen', ...generate, documentPath], { cwd })
    await runProgram([program!, 'build', '-o', 'use', '.'], { cwd })
    return { command: ['./use'], cwd }
  },
}

export const languages = [typescript, python, go]
