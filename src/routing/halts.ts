import { chainOf } from '../domain/chain'
import type { Execution } from '../domain/execution'
import type { ChainClient } from '../ports/chain-client'
import { type Pauses, pauseScopes } from '../ports/pauses'
import type { Relayers } from '../ports/signer'
import type { StepOutcome } from './advance'

export const pauseLookMs = 5_000
const gasLookMs = 15_000

/**
 * Whether anything that this deposit needs is paused. Nothing new is signed then; it waits, which is no retry. A paused
 * provider is another matter: its place is taken by others.
 */
export function haltedBy({ organizationId, deposit, facts }: Execution, pauses: Pauses): StepOutcome | null {
  const { chainId, token } = deposit
  const { intent } = facts
  const scopes = [
    pauseScopes.all,
    pauseScopes.organization(organizationId),
    pauseScopes.chain(chainId),
    pauseScopes.token(chainId, token),
    ...(intent ? [pauseScopes.chain(intent.targetChainId)] : []),
  ]
  return pauses.find(scopes) && { askAgainInMs: pauseLookMs, waitingFor: 'PAUSE' }
}

export type LowGas = (low: { chain: string; sender: string; balanceWei: bigint; neededWei: bigint }) => void

/** A relayer that cannot pay sends nothing: the chain waits with an alert, and no execution fails for it. */
export async function withoutGas(
  { deposit, facts }: Execution,
  chain: ChainClient,
  relayers: Relayers,
  onLowGas: LowGas,
): Promise<StepOutcome | null> {
  const sender = relayers.keyFor(deposit.chainId, facts.routeId!)
  const [balanceWei, { feeCap }] = await Promise.all([chain.nativeBalance(sender.address), chain.fee()])
  // Twice the price of today: fees may be raised until it is mined.
  const neededWei = 2n * feeCap * BigInt(facts.gasLimit!) + BigInt(facts.route!.call?.nativeFee ?? '0')
  if (balanceWei >= neededWei) return null
  onLowGas({ chain: chainOf(deposit.chainId).name, sender: sender.address, balanceWei, neededWei })
  return { askAgainInMs: gasLookMs, waitingFor: 'GAS' }
}
