import { bugs } from './bugs'
import { allDeposits, hasTrouble, type Plan, type Trouble, troubles } from './plan'
import { commandOf, shrink } from './shrink'
import { simulate } from './simulate'
import { outcomesInThreads, type Worlds } from './threads'
import { outcomeOf } from './world-thread'

type RunOptions = {
  deposits: number
  seed: number
  only?: readonly number[]
  /** The only troubles that happen. */
  troubles?: readonly string[]
  /** Prints the story of the one world with this seed. */
  trace?: boolean
  bug?: string
  /** How many worlds are simulated at the same time. */
  threads?: number
}

const progressMs = 5_000
const count = (n: number): string => Math.round(n).toLocaleString('en')
const listOf = (words: readonly unknown[]): string => (words.length === 0 ? 'none' : words.join(', '))

/** What is wrong with the names in a request. */
function objectionTo({ only = [], troubles: some = [], bug }: RunOptions): string | null {
  const unknown = some.filter((name) => !(troubles as readonly string[]).includes(name))
  if (unknown.length > 0) return `No trouble ${listOf(unknown)}; there are ${listOf(troubles)}.`
  const numbers = only.filter((n) => !allDeposits.includes(n))
  if (numbers.length > 0) return `No deposit ${listOf(numbers)}; a world has 1 to ${allDeposits.length}.`
  if (bug !== undefined && !Object.hasOwn(bugs, bug))
    return `No planted bug "${bug}"; there are:\n${Object.keys(bugs)
      .map((name) => `  ${name}`)
      .join('\n')}`
  return null
}

/**
 * Simulates worlds, one for each seed, until they have had so many deposits. A broken rule is shown as the shortest
 * history that it was possible to find.
 *
 * @returns The exit code: 1 if a rule was broken.
 */
export async function run(options: RunOptions, say: (line: string) => void = console.log): Promise<number> {
  const objection = objectionTo(options)
  if (objection !== null) {
    say(objection)
    return 2
  }
  const { deposits, seed: first, trace = false, bug: name = null, threads = 1 } = options
  const isOne = trace || options.only !== undefined
  const planOf = (n: number): Plan => ({
    seed: first + n,
    only: options.only && new Set(options.only),
    troubles: options.troubles && new Set(options.troubles as Trouble[]),
  })
  const start = performance.now()
  let [done, digest, n, saidAt] = [0, 0n, 0, start]
  const pace = () => `${count(done / ((performance.now() - start) / 1_000))} a second`
  const worlds = { count: isOne ? 1 : deposits, planOf, bug: name }
  const outcomes =
    isOne || threads === 1 ? outcomesInTurn(worlds, trace ? say : undefined) : outcomesInThreads(threads, worlds)
  for await (const world of outcomes) {
    const plan = planOf(n++)
    done += world.deposits
    digest = Bun.hash(String(world.digest), digest) as bigint
    if (world.found.length > 0) {
      for (const line of await reportOf(plan, world.found, name, trace)) say(line)
      say(`Event hash ${digest.toString(16).padStart(16, '0')}`)
      return 1
    }
    if (done >= deposits) break
    if (performance.now() - saidAt > progressMs) {
      saidAt = performance.now()
      say(`${count(done)} of ${count(deposits)} deposits, ${pace()}, seed ${plan.seed}`)
    }
  }
  say(`${count(done)} deposits in the worlds of the seeds ${first} to ${first + n - 1} broke no rule: ${pace()}`)
  say(`Event hash ${digest.toString(16).padStart(16, '0')}`)
  return 0
}

async function* outcomesInTurn({ count, planOf, bug }: Worlds, report?: (line: string) => void) {
  for (let n = 0; n < count; n++) yield await outcomeOf(planOf(n), bug, report)
}

/** A broken rule, and the smallest world that breaks it too, with its story unless that was printed already. */
async function reportOf(plan: Plan, found: readonly string[], name: string | null, isTold: boolean): Promise<string[]> {
  const bug = name === null ? null : bugs[name]!
  const broken = `Seed ${plan.seed} breaks: ${found.join('; ')}`
  if (isTold) return [broken]
  const small = await shrink(plan, found[0]!, async (each) => (await simulate(each, { bug, isShort: true })).found)
  const story: string[] = []
  await simulate(small, { bug, isShort: true, report: (line) => void story.push(line) })
  const left = troubles.filter((trouble) => hasTrouble(small, trouble))
  const numbers = [...(small.only ?? allDeposits)]
  return [
    broken,
    `It takes the deposits ${listOf(numbers)}, and these troubles: ${listOf(left)}`,
    ...story,
    `Repeat it: ${commandOf(small, name)}`,
  ]
}
