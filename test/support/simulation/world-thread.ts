import { bugs } from './bugs'
import type { Plan } from './plan'
import { simulate } from './simulate'

/** What a run counts of a world. */
export type Outcome = { deposits: number; digest: bigint; found: readonly string[] }

/** @param report Gets the story of the world. */
export async function outcomeOf(
  plan: Plan,
  bug: string | null,
  report?: ((line: string) => void) | undefined,
): Promise<Outcome> {
  const planted = bug === null ? null : bugs[bug]!
  const { city, digest, found } = await simulate(plan, { bug: planted, isShort: true, report })
  return { deposits: city.users.deposits, digest, found }
}

// A thread simulates the worlds that it receives.
if (!Bun.isMainThread)
  self.onmessage = async ({ data: { plan, bug } }: MessageEvent<{ plan: Plan; bug: string | null }>) => {
    const ended = await outcomeOf(plan, bug).then(
      (outcome) => ({ outcome }),
      (error) => ({ error }),
    )
    self.postMessage({ seed: plan.seed, ...ended })
  }
