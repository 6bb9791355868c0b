import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { forgeBinary } from './forge-binary.ts'
import { moduleMutants } from './module-mutants.ts'
import { type Mutant, mutants } from './mutants.ts'

/**
 * Makes every mutant in one copy of the contracts and runs its test there. The exit code is the number of surviving
 * mutants. The tests deploy the committed artifacts, which take a minute to make; in the copy they deploy what forge
 * compiles of the sources, so that only what a mutant touches is compiled again.
 */
const root = import.meta.dir
/** Needs viaIR, which forge is spared: its tests go on with its artifact. */
const artifactOnly = 'RelayDepositGuard'

const folder = await mkdtemp(join(tmpdir(), 'switchyard-mutants-'))
const copy = join(folder, 'contracts')

async function prepare(): Promise<void> {
  await cp(root, copy, { recursive: true, filter: (path) => path !== join(root, 'out') })
  await symlink(join(root, '..', 'node_modules'), join(folder, 'node_modules'))
  const sources = [...new Glob('src/**/*.sol').scanSync(copy)].filter((path) => basename(path, '.sol') !== artifactOnly)
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
  await Bun.write(join(copy, 'foundry.toml'), withOneProfile)
}

/** Runs one test in the copy. */
async function passes(name: string): Promise<boolean> {
  const child = Bun.spawn([forgeBinary(), 'test', '--match-test', `^${name}\\(`], {
    cwd: copy,
    env: { ...process.env, HOME: folder },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const code = await child.exited
  if (!/\d+ tests? passed, \d+ failed/.test(output)) throw new Error(`No test ran: ${output}${problems}`)
  return code === 0
}

async function survives({ file, from, to, killedBy }: Mutant): Promise<boolean> {
  const path = join(copy, file)
  const source = await Bun.file(path).text()
  if (source.split(from).length !== 2) throw new Error(`${file} must contain this text exactly once: ${from}`)
  await Bun.write(
    path,
    source.replace(from, () => to),
  )
  try {
    return await passes(killedBy)
  } finally {
    await Bun.write(path, source)
  }
}

const all = [...mutants, ...moduleMutants]
const survivors: string[] = []
try {
  await prepare()
  const tests = new Set(all.map(({ killedBy }) => killedBy))
  if (!(await passes(`(${[...tests].join('|')})`))) throw new Error('A test fails without any mutant')
  for (const [n, mutant] of all.entries()) {
    const hasSurvived = await survives(mutant)
    if (hasSurvived) survivors.push(mutant.name)
    console.log(`${n + 1}/${all.length} ${hasSurvived ? 'SURVIVED' : 'killed'}: ${mutant.name}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(`${all.length - survivors.length} mutants killed, ${survivors.length} survived`)
process.exit(survivors.length)
