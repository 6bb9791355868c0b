import type { Action, SmallWorld } from './small-world'

/** A broken rule, and the choices that lead to it. Each choice is a position in the list of possible actions. */
type Broken = { rules: readonly string[]; choices: readonly number[] }
export type Explored = {
  /** Distinct states. Equal states of different histories count once. */
  states: number
  /** Actions performed: the ways from one of these states to the next. */
  steps: number
  /** Complete histories, which are the ways from the first state to a last one. */
  histories: number
  /** Actions of the longest history. */
  longest: number
  /** The states in which all has ended. */
  ends: ReadonlySet<bigint>
  broken: Broken | null
}

/**
 * `isMerged`: continue only once from equal states. Otherwise each history is walked. `report` gets each action in
 * words.
 */
type How = { isMerged?: boolean; report?: ((words: string) => void) | undefined }

/** Visits every state that a world can reach, depth first. Stops at the first broken rule. */
export function explore(world: SmallWorld, { isMerged = true, report = () => {} }: How = {}): Explored {
  const histories = new Map<bigint, number>()
  const choices: number[] = []
  const ends = new Set<bigint>()
  const explored = { states: 0, steps: 0, histories: 0, longest: 0, ends, broken: null as Broken | null }

  function visit(): number {
    const { digest } = world
    const known = isMerged ? histories.get(digest) : undefined
    if (known !== undefined) return known
    explored.states += 1
    explored.longest = Math.max(explored.longest, choices.length)
    const actions = world.actions()
    const rules = actions.length === 0 ? world.foundAtEnd() : world.found
    if (rules.length > 0) explored.broken = { rules, choices: [...choices] }
    if (actions.length === 0) ends.add(digest)
    let count = actions.length === 0 ? 1 : 0
    const snapshot = actions.length > 1 ? world.snapshot() : null
    for (const [n, action] of actions.entries()) {
      if (explored.broken) break
      if (n > 0) world.restore(snapshot!)
      choices.push(n)
      report(world.apply(action))
      explored.steps += 1
      count += visit()
      choices.pop()
    }
    histories.set(digest, count)
    return count
  }

  const start = world.snapshot()
  explored.histories = visit()
  world.restore(start)
  return explored
}

type Reached = { snapshot: ReturnType<SmallWorld['snapshot']>; choices: readonly number[]; last: number; used: number }

const isGoingOn = (actions: readonly Action[], worker: number): boolean =>
  actions.some((action) => action.kind === 'go' && action.worker === worker)

/**
 * Returns the shortest history that breaks a rule, breadth first; null if there is none within the limits.
 *
 * @param most.switches Most times that another worker goes on although the one before had not ended its task. Most
 * defects need one, and few switches make a history readable.
 */
export function shortestBroken(world: SmallWorld, most: { switches: number; states: number }): Broken | null {
  const seen = new Set<string>()
  const start = world.snapshot()
  let reached: Reached[] = [{ snapshot: start, choices: [], last: -1, used: 0 }]
  let broken: Broken | null = null
  while (reached.length > 0 && seen.size < most.states && !broken) {
    const next: Reached[] = []
    for (const { snapshot, choices, last, used } of reached) {
      world.restore(snapshot)
      const actions = world.actions()
      const rules = actions.length === 0 ? world.foundAtEnd() : world.found
      if (rules.length > 0) broken ??= { rules, choices }
      for (const [n, action] of actions.entries()) {
        const after = isGoingOn(actions, last) && action.worker !== last ? used + 1 : used
        if (after > most.switches || broken) continue
        world.restore(snapshot)
        world.apply(action)
        const key = `${world.digest} ${action.worker} ${after}`
        if (seen.has(key)) continue
        seen.add(key)
        if (world.found.length > 0) broken = { rules: world.found, choices: [...choices, n] }
        next.push({ snapshot: world.snapshot(), choices: [...choices, n], last: action.worker, used: after })
      }
    }
    reached = next
  }
  world.restore(start)
  return broken
}

/** The history that these choices make, one action a line, and the rules broken at its end. */
export function history(world: SmallWorld, choices: readonly number[]): { lines: string[]; rules: readonly string[] } {
  const start = world.snapshot()
  const lines = choices.map((choice) => world.apply(world.actions()[choice]!))
  const rules = world.actions().length === 0 ? world.foundAtEnd() : world.found
  world.restore(start)
  return { lines, rules }
}
