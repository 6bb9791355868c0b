import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Glob } from 'bun'
import { forms, type Part, partsOf, root } from './deep-parts.ts'

/**
 * Runs the checks that take too long for every test run: deep fuzzing of the contracts, random calls through guard,
 * signer and Diamond, and the mutants. The whole takes hours, `--nightly` minutes. `--short` shows that each command
 * works. `--only=calls,testFuzz_salts` selects parts by their kind (forge, calls, mutants) or by their name. A finished
 * part is in the report immediately. A new run continues with the parts that have not passed with the current files;
 * `--again` forgets earlier results. The exit code is the number of failed parts.
 */
interface Outcome {
  readonly name: string
  /** Hash of all files that the part reads. */
  readonly files: string
  readonly isGood: boolean
  readonly seconds: number
  readonly endedAt: string
  readonly commit: string
}

const form = process.argv.includes('--nightly') ? 'nightly' : process.argv.includes('--short') ? 'short' : 'full'
const only = process.argv.find((each) => each.startsWith('--only='))?.slice('--only='.length)
const kept = Bun.file(join(import.meta.dir, 'out', 'deep-results.json'))
// The committed report is of the full run; a shorter run does not overwrite it.
const reportPath = join(import.meta.dir, ...(form === 'full' ? ['deep-report.md'] : ['out', `deep-report-${form}.md`]))

const parts = partsOf(form)
const isWanted = ({ kind, name }: Part) => only?.split(',').some((each) => each === kind || name.includes(each)) ?? true
const wanted = parts.filter(isWanted)
const results = new Map<string, Outcome>()
if (!process.argv.includes('--again') && (await kept.exists()))
  for (const each of (await kept.json()) as Outcome[]) results.set(each.name, each)

let failed = 0
for (const part of wanted) {
  if (part.lacks) {
    console.log(`LEFT OUT, because there is no ${part.lacks} here: ${part.name}`)
    continue
  }
  if (holds(part)) {
    console.log(`has passed before: ${part.name}`)
    continue
  }
  const files = hashOf(part)
  const startedAt = performance.now()
  const { command, cwd, env } = part
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdout: 'inherit', stderr: 'inherit' })
  const isGood = (await child.exited) === 0
  if (isGood && files !== hashOf(part)) throw new Error(`Files were changed while this ran: ${part.name}`)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  if (!isGood) failed += 1
  console.log(`${isGood ? 'passed' : 'FAILED'}: ${part.name}, ${seconds} s`)
  const commit = git('rev-parse', '--short', 'HEAD')
  results.set(part.name, { name: part.name, files, isGood, seconds, endedAt: new Date().toISOString(), commit })
  await Bun.write(kept, JSON.stringify([...results.values()], null, 2))
  await Bun.write(reportPath, report())
}
await Bun.write(reportPath, report())
console.log(`${wanted.filter(holds).length} passed, ${failed} failed`)
process.exit(failed)

function current(part: Part): Outcome | undefined {
  const result = results.get(part.name)
  return result?.files === hashOf(part) ? result : undefined
}

function holds(part: Part): boolean {
  return current(part)?.isGood ?? false
}

function hashOf({ reads }: Part): string {
  const hash = createHash('sha256')
  const paths = new Set(reads.flatMap((pattern) => [...new Glob(pattern).scanSync(root)]))
  for (const path of [...paths].sort())
    hash
      .update(`${path}\0`)
      .update(Bun.mmap(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function report(): string {
  const contracts = ['contracts/src', 'contracts/test', 'contracts/artifacts', 'contracts/foundry.toml']
  const changed = git('status', '--porcelain', '--', ...contracts) === '' ? '' : ', with uncommitted changes'
  const { fuzzRuns, invariants, calls } = forms[form]
  const ended = parts.flatMap((part) => current(part) ?? [])
  const open = parts.filter((part) => !current(part))
  return `${[
    '# Deep run of the contracts',
    '',
    'Written by `npm run contracts:deep`, each line when its part ended. `-- --nightly` is the shorter form.',
    '',
    `Form: ${form} (${fuzzRuns} runs of each property, invariants ${invariants.runs} x ${invariants.depth}, ${calls}`,
    `calls). Contracts and their tests: those of commit ${git('log', '-1', '--format=%h', '--', ...contracts)}${changed}.`,
    '',
    '| Part | Result | Seconds | Ended, UTC | On top of commit |',
    '|---|---|---|---|---|',
    ...ended.map(
      ({ name, isGood, seconds, endedAt, commit }) =>
        `| ${name} | ${isGood ? 'passed' : 'FAILED'} | ${seconds} | ${endedAt.slice(0, 16).replace('T', ' ')} | ${commit} |`,
    ),
    '',
    open.length === 0 ? 'Nothing was left out.' : '**Not run with these contracts:**',
    ...(open.length === 0
      ? []
      : ['', ...open.map(({ name, lacks }) => `- ${name}${lacks ? `, because there was no ${lacks}` : ''}`)]),
  ].join('\n')}\n`
}

function git(...command: string[]): string {
  return Bun.spawnSync(['git', ...command], { cwd: root })
    .stdout.toString()
    .trim()
}
