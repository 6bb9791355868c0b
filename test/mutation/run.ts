import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openCompiler } from './compiler.ts'
import { decide, type Verdict } from './decide.ts'
import { equivalents } from './equivalents.ts'
import type { Mutant } from './mutants.ts'
import { testChoice } from './tests-of.ts'

/**
 * Breaks the rules in one place at a time, and runs the tests that should notice. Prints every survivor and the score
 * of each folder. The exit code is 1 if a folder's score is below `--least 90`, or if a test fails without a mutant.
 *
 * `--folder src/signer` and `--file fees.ts` select files. `--sample 100 --seed 7` takes that many, of
 * files in the order that the seed gives. `--minutes 8` starts no mutant after that time. `--again` keeps the verdicts of
 * the last run of each file without a sample, and runs only what survived it or is new.
 */
const folders = ['src/domain', 'machines', 'src/routing', 'src/detection', 'src/signer', 'src/events']
/** A sample takes a few files thoroughly, because each further file costs a measurement of its tests. */
const ofOneFile = 25

const { values: given } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true, default: folders },
    file: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    least: { type: 'string', default: '90' },
    again: { type: 'boolean', default: false },
    root: { type: 'string', default: join(import.meta.dir, '..', '..') },
  },
})
const { root } = given
const results = join(root, 'test-results', 'mutants')
const sample = Number(given.sample ?? Number.POSITIVE_INFINITY)
const isSample = Number.isFinite(sample)
const endsAt = performance.now() + 60_000 * Number(given.minutes ?? Number.POSITIVE_INFINITY)
const isOver = () => performance.now() > endsAt
const order = (text: string) => Bun.hash(`${given.seed} ${text}`)
const shuffled = <T>(all: readonly T[], textOf: (each: T) => string) =>
  isSample ? all.toSorted((one, other) => (order(textOf(one)) < order(textOf(other)) ? -1 : 1)) : all

const paths = shuffled(
  given.folder
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((path) => path.includes(given.file))
    .toSorted(),
  String,
)
if (paths.length === 0) throw new Error('No file of the rules has such a path')
const choice = testChoice(root, join(results, 'coverage'))
const importers = paths.flatMap((path) => choice.importersOf(path))
const compiler = await openCompiler(root, [...new Set([...paths, ...importers])])
const verdicts: Verdict[] = []
const keyOf = ({ start, from, to, line }: Mutant) => JSON.stringify([start, from, to, line])
let left = sample
let undecided = 0

for (const path of paths) {
  if (left <= 0) break
  const stored = Bun.file(join(results, `${path.replaceAll('/', '-')}.json`))
  const last: Verdict[] = given.again && (await stored.exists()) ? await stored.json() : []
  const decided = new Map(last.map((each) => [keyOf(each.mutant), each]))
  const all = await compiler.mutantsOf(path)
  const isOpen = (mutant: Mutant) => !decided.has(keyOf(mutant)) || decided.get(keyOf(mutant))!.result === 'SURVIVED'
  const taken = shuffled(all.filter(isOpen), ({ start, to }) => `${path} ${start} ${to}`).slice(
    0,
    isSample ? Math.min(ofOneFile, left) : all.length,
  )
  left -= taken.length
  const own = all.flatMap((mutant) => (isOpen(mutant) ? [] : decided.get(keyOf(mutant))!))
  const before = own.length
  for await (const verdict of decide(path, taken, { root, compiler, choice, equivalents, isOver })) {
    own.push(verdict)
    if (!isSample) await Bun.write(stored, JSON.stringify(own))
    if (verdict.result === 'SURVIVED') console.log(`SURVIVED: ${told(verdict)}`)
  }
  undecided += taken.length - (own.length - before)
  verdicts.push(...own)
  if (own.length > 0) console.log(`${path}: ${score(own)}`)
}
await compiler.close()

let isBelow = false
for (const folder of folders) {
  const own = verdicts.filter(({ mutant }) => mutant.path.startsWith(`${folder}/`))
  if (own.length === 0) continue
  console.log(`${folder}: ${score(own)}`)
  isBelow ||= percent(own) < Number(given.least)
}
for (const [test, why] of choice.failing) console.log(`LEFT OUT: ${test} ${why}`)
isBelow ||= choice.failing.size > 0
if (undecided > 0) console.log(`${undecided} mutants were not run in the given time`)
console.log(`${count(verdicts, 'killed')} mutants killed, ${count(verdicts, 'SURVIVED')} survived`)
process.exit(isBelow ? 1 : 0)

function told({ mutant: { path, line, from, to, nth } }: Verdict): string {
  return `${path}:${line}: ${JSON.stringify(from)} → ${JSON.stringify(to)}${nth > 1 ? ` (${nth})` : ''}`
}
function count(of: readonly Verdict[], result: Verdict['result']): number {
  return of.filter((each) => each.result === result).length
}
function percent(of: readonly Verdict[]): number {
  const killed = count(of, 'killed')
  const counted = killed + count(of, 'SURVIVED')
  return counted === 0 ? 100 : (100 * killed) / counted
}
function score(of: readonly Verdict[]): string {
  const { killed, survived, argued, refused } = {
    killed: count(of, 'killed'),
    survived: count(of, 'SURVIVED'),
    argued: count(of, 'argued'),
    refused: count(of, 'refused'),
  }
  return `${percent(of).toFixed(1)} % (${killed} killed, ${survived} survived, ${argued} argued, ${refused} refused by tsc)`
}
