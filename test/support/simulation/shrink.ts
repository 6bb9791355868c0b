import { allDeposits, hasDeposit, hasTrouble, type Plan, type Trouble, troubles } from './plan'

/** Runs a world, and returns the rules that it breaks. */
type Break = (plan: Plan) => Promise<readonly string[]>

/**
 * Finds a smaller world of the same seed that breaks the same rule: first fewer troubles, then fewer deposits, and then
 * again fewer troubles. Halves are left out before single ones.
 */
export async function shrink(plan: Plan, rule: string, broken: Break): Promise<Plan> {
  const isBroken = async (smaller: Plan) => (await broken(smaller)).includes(rule)
  const calmer = (from: Plan) => {
    const left = troubles.filter((trouble) => hasTrouble(from, trouble))
    const withOnly = (some: readonly Trouble[]): Plan => ({ ...from, troubles: new Set(some) })
    return fewest(left, (some) => isBroken(withOnly(some))).then(withOnly)
  }
  const quiet = await calmer(plan)
  const numbers = allDeposits.filter((n) => hasDeposit(plan, n))
  const some = await fewest(numbers, (only) => isBroken({ ...quiet, only: new Set(only) }))
  return calmer({ ...quiet, only: new Set(some) })
}

/** Leaves out as many items as possible, in groups of halving size. */
async function fewest<Item>(all: readonly Item[], isEnough: (some: readonly Item[]) => Promise<boolean>) {
  let kept = all
  for (let size = all.length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < kept.length; ) {
      const rest = kept.filter((_, n) => n < from || n >= from + size)
      if (await isEnough(rest)) kept = rest
      else from += size
    }
  return kept
}

/** The command that repeats a world. */
export function commandOf({ seed, only, troubles: some }: Plan, bug: string | null): string {
  const numbers = only ? [`--only ${[...only].join(',')}`] : []
  const names = some ? [`--with ${[...some].join(',') || 'none'}`] : []
  const planted = bug === null ? [] : [`--bug ${JSON.stringify(bug)}`]
  return ['npm run simulate --', `--seed ${seed}`, ...numbers, ...names, ...planted, '--trace'].join(' ')
}
