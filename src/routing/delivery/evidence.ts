import type { Address, Hash } from '../../domain/chain/hex'
import { zeroAddress } from '../../domain/chain/hex'
import type { Arrived, ChainClient } from '../../ports/chain-client'

/** What one confirmed transaction brought to an address. */
export type Brought = Arrived & { token: Address }

type Looked = Pick<ChainClient, 'arrived' | 'transaction'>

/**
 * Reads what a transaction brought to an address: in the token that is looked for, else in any other, else in the
 * native coin. Returns null while the chain does not show it. A transaction that only a provider names is no evidence,
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
