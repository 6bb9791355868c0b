import { chainOf } from '../../domain/chain/chain'
import { inFlight } from '../../domain/chain/relayer'
import { relayerNeed } from '../../domain/chain/relayer-need'
import type { Execution } from '../../domain/execution/execution'
import { placeLookMs } from '../../domain/execution/retry'
import { type Pauses, pauseScopes } from '../../ports/pauses'
import { hasPlace, isFull, type Key, type Sending } from '../delivery/sender'
import type { StepOutcome } from '../engine/advance'

export const pauseLookMs = 5_000
const gasLookMs = 15_000

/**
 * Returns how long to wait when anything that this deposit needs is paused; null when nothing is. Nothing new is signed
 * during a pause, and waiting is not a retry. A paused provider does not count here, because others can take its place.
 */
export function signBlocker({ organizationId, deposit, facts }: Execution, pauses: Pauses): StepOutcome | null {
  const { chainId, token } = deposit
  const { intent } = facts
  const scopes = [
    pauseScopes.all,
    pauseScopes.organization(organizationId),
    pauseScopes.tenant(organizationId),
    pauseScopes.chain(chainId),
    pauseScopes.token(chainId, token),
    ...(intent ? [pauseScopes.chain(intent.targetChainId)] : []),
  ]
  return pauses.find(scopes) && { askAgainInMs: pauseLookMs, waitingFor: 'PAUSE' }
}

export type LowGas = (low: { chain: string; sender: string; balanceWei: bigint; neededWei: bigint }) => void

type Ports = Sending & { onLowGas: LowGas; share: number }

/**
 * Returns how long to wait when the relayer key of a deposit has no free place, or cannot pay; null otherwise. An order
 * that is not signed yet cannot lapse.
 */
export async function withoutPlace(execution: Execution, key: Key, ports: Ports): Promise<StepOutcome | null> {
  const wait = { askAgainInMs: placeLookMs, waitingFor: 'GAS' } as const
  const tenant = { organizationId: execution.organizationId, share: ports.share }
  if (isFull(key, ports, tenant)) return wait
  return (await withoutGas(execution, key, ports)) ?? ((await hasPlace(key, ports, tenant)) ? null : wait)
}

/**
 * Returns how long to wait when the relayer cannot pay. The chain then waits, with an alert, and no execution fails for
 * it. What the relayer holds is reserved for the transactions that are on their way.
 */
async function withoutGas({ deposit, facts }: Execution, sender: Key, { chain, senders, onLowGas }: Ports) {
  const [balanceWei, { feeCap }, kept] = await Promise.all([
    chain.nativeBalance(sender.address),
    chain.fee(),
    senders.load(sender.id),
  ])
  const mined = kept && inFlight(kept).length > 0 ? await chain.minedNonces(sender.address) : 0
  const own = { gasLimit: facts.gasLimit!, nativeFee: facts.route!.call?.nativeFee ?? '0' }
  const neededWei = relayerNeed(kept, mined, feeCap, own)
  if (balanceWei >= neededWei) return null
  onLowGas({ chain: chainOf(deposit.chainId).name, sender: sender.address, balanceWei, neededWei })
  return { askAgainInMs: gasLookMs, waitingFor: 'GAS' } as const
}
