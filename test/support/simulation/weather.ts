import type { Dice, Faults } from './loop'
import { isRush } from './parties'
import { hasTrouble, type Plan, type Trouble } from './plan'

/** What goes wrong in a world, and how often. Processes share `faults`, which the calm changes. */
export type Weather = {
  faults: Faults
  lossyMessages: number
  reorgs: number
  spikes: number
  halts: number
  lies: number
}

/** Draws the rates. They differ by seed: some worlds have many crashes and no lost responses, others the reverse. */
export function weatherOf(plan: Plan, chance: Dice): Weather {
  const rate = (most: number, trouble: Trouble) => {
    const drawn = chance.chance(0.3) ? 0 : chance.between(0, most)
    return hasTrouble(plan, trouble) ? drawn : 0
  }
  // Losses cost retries. In a rush with many executions, each would lose too often at the full rate.
  const losses = isRush(plan.seed) ? 0.2 : 1
  return {
    faults: {
      lostQuestion: rate(0.05 * losses, 'lost-requests'),
      lostAnswer: rate(0.1 * losses, 'lost-responses'),
      slow: rate(0.05, 'slow-messages'),
      crash: rate(0.03, 'crashes'),
      freeze: rate(0.03, 'freezes'),
      skewMs: rate(20_000, 'wrong-clocks'),
    },
    lossyMessages: rate(0.5, 'lost-wakes'),
    reorgs: rate(0.15, 'reorganizations'),
    spikes: rate(0.06, 'dear-gas'),
    halts: rate(0.01, 'pauses'),
    lies: rate(0.05, 'lying-nodes'),
  }
}
