import { join } from 'node:path'
import { copyContracts } from './copy.ts'
import { invariantMutants } from './invariant-mutants.ts'
import { moduleMutants } from './module-mutants.ts'
import { type Mutant, mutants } from './mutants.ts'
import { reviewMutants } from './review-mutants.ts'

/**
 * Makes every mutant in one copy of the contracts and runs its test there, so only changed files are compiled again.
 * The exit code is the number of surviving mutants. `--only=invariant_` selects mutants with this text in their name or
 * in their test's name. `--list=module-mutants` selects one file, and `--first=1` limits their number.
 */
const lists: Record<string, readonly Mutant[]> = {
  mutants,
  'module-mutants': moduleMutants,
  'invariant-mutants': invariantMutants,
  'review-mutants': reviewMutants,
}
const given = (name: string) => process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3)
const list = given('list')
const all = (list === undefined ? Object.values(lists).flat() : lists[list]!)
  .filter(({ name, killedBy }) => `${name} ${killedBy}`.includes(given('only') ?? ''))
  .slice(0, Number(given('first') ?? Number.POSITIVE_INFINITY))
const copy = await copyContracts('sources')

/** Runs tests in the copy, with the same random numbers every time. */
async function run(name: string): Promise<{ passed: boolean; output: string }> {
  const { code, output } = await copy.forge(['test', '--fuzz-seed', '1', '--match-test', `^${name}\\(`])
  if (!/\d+ tests? passed, \d+ failed/.test(output)) throw new Error(`No test ran: ${output}`)
  return { passed: code === 0, output }
}

async function survives({ file, from, to, killedBy, says }: Mutant): Promise<boolean> {
  const path = join(copy.contracts, file)
  const source = await Bun.file(path).text()
  if (source.split(from).length !== 2) throw new Error(`${file} must contain this text exactly once: ${from}`)
  await Bun.write(
    path,
    source.replace(from, () => to),
  )
  try {
    const { passed, output } = await run(killedBy)
    return passed || !output.includes(says ?? '')
  } finally {
    await Bun.write(path, source)
  }
}

const survivors: string[] = []
try {
  const tests = new Set(all.map(({ killedBy }) => killedBy))
  if (!(await run(`(${[...tests].join('|')})`)).passed) throw new Error('A test fails without any mutant')
  for (const [n, mutant] of all.entries()) {
    const hasSurvived = await survives(mutant)
    if (hasSurvived) survivors.push(mutant.name)
    console.log(`${n + 1}/${all.length} ${hasSurvived ? 'SURVIVED' : 'killed'}: ${mutant.name}`)
  }
} finally {
  await copy.remove()
}
console.log(`${all.length - survivors.length} mutants killed, ${survivors.length} survived`)
process.exit(survivors.length)
