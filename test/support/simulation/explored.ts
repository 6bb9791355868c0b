import { expect } from 'bun:test'
import { explore, history } from './explore'
import { type Bounds, type Fault, SmallWorld } from './small-world'

/** Two workers and some deposits of one lane, with at most so many faults of these kinds in a history. */
export const bounds = (deposits: number, faults: number, ...kinds: Fault[]): Bounds => ({
  workers: 2,
  deposits,
  faults,
  kinds,
})

/** Explores all of a world, and reports its size. A broken rule is shown as the history that leads to it. */
export function explored(within: Bounds, report?: (words: string) => void) {
  const world = new SmallWorld(within)
  const { broken, ends, ...size } = explore(world, { report })
  const shown = broken ? [...history(world, broken.choices).lines, ...broken.rules, `choices: ${broken.choices}`] : []
  expect(shown).toEqual([])
  const { deposits, faults, kinds } = within
  console.info(`small world: deposits ${deposits}, faults ${faults} (${kinds}), ${JSON.stringify(size)}`)
  return { ...size, ends }
}
