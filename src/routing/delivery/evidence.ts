import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { sumOf } from '../../domain/money/amount'
import type { Arrived, ChainClient } from '../../ports/chain-client'
import type { Deliveries } from '../../ports/executions'

/** What one confirmed transaction brought to an address. */
type Brought = Arrived & { token: Address }

type Looked = Pick<ChainClient, 'arrived' | 'transaction'>

/**
 * Reads what a transaction brought to an address: in the token that is looked for, else in any other, else in the
 * native coin. Returns null while the chain does not show it. A transaction that only a provider names is not evidence,
 * and neither is one that failed or paid somebody else.
 */
export async function broughtBy(chain: Looked, hash: Hash, token: Address, who: Address): Promise<Brought | null> {
  const arrived = await chain.arrived(hash, token, who)
  if (!arrived) return null
  if (arrived.amountRaw > 0n) return { token, ...arrived }
  const other = await otherToken(chain, hash, who)
  for (const candidate of [other, zeroAddress]) {
    const found = candidate && (await chain.arrived(hash, candidate, who))
    if (found && found.amountRaw > 0n) return { token: candidate, ...found }
  }
  return null
}

async function otherToken(chain: Looked, hash: Hash, who: Address): Promise<Address | null> {
  const transaction = await chain.transaction(hash)
  const isIts = ({ to, amountRaw }: { to: Address; amountRaw: bigint }) =>
    amountRaw > 0n && to.toLowerCase() === who.toLowerCase()
  return transaction?.transfers.find(isIts)?.token ?? null
}

type Part = Arrived['parts'][number]
type Wanted = { chainId: ChainId; executionId: string; leastRaw: bigint }

/**
 * Claims the transfers of a transaction that deliver this execution. A transfer is evidence for one execution only: the
 * first to claim it has it, and may ask again. A batch may pay one recipient several times. Of the transfers that are
 * large enough the smallest is ours, and if none is, the largest; two transfers are never added up, because they may be
 * owed to two executions.
 *
 * @returns The amount claimed, in atomic units; null when nothing is left to claim.
 */
export async function claimDelivery(
  parts: readonly Part[],
  { chainId, executionId, leastRaw }: Wanted,
  deliveries: Deliveries,
): Promise<bigint | null> {
  const others = new Set<string>()
  for (;;) {
    const ours = chosen(
      parts.filter(({ place }) => !others.has(place)),
      leastRaw,
    )
    if (ours.length === 0) return null
    const lost = await firstLost(ours)
    if (!lost) return sumOf(ours.map(({ amountRaw }) => amountRaw))
    others.add(lost.place)
  }

  async function firstLost(ours: readonly Part[]): Promise<Part | null> {
    for (const part of ours) {
      const id = `${chainId}:${part.place}`
      if (await deliveries.save({ id, version: 0, executionId })) continue
      if ((await deliveries.load(id))?.executionId !== executionId) return part
    }
    return null
  }
}

function chosen(free: readonly Part[], leastRaw: bigint): readonly Part[] {
  const enough = free.filter(({ amountRaw }) => amountRaw >= leastRaw)
  if (enough.length > 0) return [enough.reduce((a, b) => (b.amountRaw < a.amountRaw ? b : a))]
  return free.length > 0 ? [free.reduce((a, b) => (b.amountRaw > a.amountRaw ? b : a))] : []
}
