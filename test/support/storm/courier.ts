import { type ChainId, chainOf } from '../../../src/domain/chain/chain'
import type { Hash } from '../../../src/domain/chain/hex'

export type Delivery = { chainId: ChainId; txHash: Hash }
export type Fates = Record<'dropped' | 'once' | 'doubled' | 'late', number>

/** Returns a generator of numbers between 0 and 1, determined by the seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A webhook body for one transaction, with false amounts that the service must not trust. */
export const bodyOf = ({ chainId, txHash }: Delivery): string =>
  JSON.stringify({
    webhookId: 'wh',
    id: `whevt_${txHash.slice(2, 14)}`,
    type: 'ADDRESS_ACTIVITY',
    event: {
      network: chainOf(chainId).alchemyNetwork,
      activity: [{ hash: txHash, category: 'token', value: 1e30, toAddress: `0x${'0'.repeat(40)}` }],
    },
  })

const ticksMax = 25
const copiesMax = 5

/** Delivers webhooks: loses three in ten, duplicates two, delays one by an hour, and shuffles the rest. */
export function courier(random: () => number) {
  const due: { at: number; delivery: Delivery }[] = []
  const late: Delivery[] = []
  const fates: Fates = { dropped: 0, once: 0, doubled: 0, late: 0 }
  const inTicks = (now: number) => now + Math.floor(random() * ticksMax)

  return {
    fates,
    late,
    take(delivery: Delivery, tick: number): void {
      const fate = random()
      const name: keyof Fates = fate < 0.3 ? 'dropped' : fate < 0.5 ? 'doubled' : fate < 0.6 ? 'late' : 'once'
      fates[name]++
      if (name === 'dropped') return
      if (name === 'late') return void late.push(delivery)
      const copies = name === 'doubled' ? 2 + Math.floor(random() * (copiesMax - 1)) : 1
      for (let n = 0; n < copies; n++) due.push({ at: inTicks(tick), delivery })
    },
    /** Takes the deliveries that are due, in random order. */
    brought(tick: number): Delivery[] {
      const now = due.filter(({ at }) => at <= tick).map(({ delivery }) => delivery)
      const rest = due.filter(({ at }) => at > tick)
      due.splice(0, due.length, ...rest)
      return now.toSorted(() => random() - 0.5)
    },
    get isEmpty(): boolean {
      return due.length === 0
    },
  }
}
