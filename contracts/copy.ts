import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { forgeBinary } from './forge-binary.ts'

const root = import.meta.dir
/** Needs viaIR, which would slow forge down. Its tests use its artifact, unless a copy is made with viaIR. */
const needsViaIr = 'RelayDepositGuard'

export interface Copy {
  readonly contracts: string
  forge(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>
  remove(): Promise<void>
}

/**
 * A copy of the contracts for temporary changes. The project's tests deploy the committed artifacts, which take a
 * minute to build and do not map back to source lines. In a copy, tests deploy forge's own build of the sources, or
 * still the artifacts.
 */
export async function copyContracts(deploys: 'sources' | 'sources by viaIR' | 'artifacts'): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-contracts-'))
  const copy = join(folder, 'contracts')
  await cp(root, copy, { recursive: true, filter: (path) => path !== join(root, 'out') })
  // Inside the copy and without links: the coverage tool finds nothing outside.
  const libraries = join(root, '..', 'node_modules')
  await cp(join(libraries, '@openzeppelin'), join(copy, 'node_modules', '@openzeppelin'), { recursive: true })
  await symlink(join(libraries, 'solc'), join(copy, 'node_modules', 'solc'))
  const config = Bun.file(join(copy, 'foundry.toml'))
  await Bun.write(join(copy, 'foundry.toml'), (await config.text()).replaceAll('../node_modules', 'node_modules'))
  if (deploys !== 'artifacts') await deploySources(copy, deploys === 'sources by viaIR')
  return {
    contracts: copy,
    async forge(args) {
      const child = Bun.spawn([forgeBinary(), ...args], {
        cwd: copy,
        env: { ...process.env, HOME: folder },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      return { code: await child.exited, output: texts.join('') }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function deploySources(copy: string, viaIr: boolean): Promise<void> {
  const sources = [...new Glob('src/**/*.sol').scanSync(copy)].filter(
    (path) => viaIr || basename(path, '.sol') !== needsViaIr,
  )
  for (const path of new Glob('test/**/*.sol').scanSync(copy)) {
    let text = await Bun.file(join(copy, path)).text()
    for (const source of sources) {
      const name = basename(source, '.sol')
      text = text.replaceAll(`artifacts/${name}.json`, `${source}:${name}`)
    }
    await Bun.write(join(copy, path), text)
  }
  const config = Bun.file(join(copy, 'foundry.toml'))
  const withOneProfile = (await config.text())
    .replace('path = "artifacts"', 'path = "."')
    .replace(/^(additional_compiler_profiles|compilation_restrictions) = .*$/gm, '')
    .replace(/^skip = .*$/gm, (skip) => (viaIr ? '' : skip))
  await Bun.write(join(copy, 'foundry.toml'), withOneProfile)
}
