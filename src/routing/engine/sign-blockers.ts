import { isDeepStrictEqual } from 'node:util'
import { chainOf } from '../../domain/chain/chain'
import { inFlight, type Relayer, relayerNeed } from '../../domain/chain/relayer'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { pausePollMs, pollMs, slotPollMs, waitedMs } from '../../domain/execution/retry'
import { holdingScopes } from '../../domain/tenant/pause-scope'
import type { ChainClient } from '../../ports/chain-client'
import type { Pauses } from '../../ports/operators'
import type { RelayerAddress } from '../../ports/signer'
import { type RelayerPorts, slotRequestOf, withFreeSlot } from '../delivery/relayer-slots'
import type { StepOutcome } from './step'

const gasPollMs = 15_000

/**
 * Returns the wait if a pause applies to this deposit; null otherwise. Nothing new is signed during a pause, and
 * waiting is not a retry.
 */
export function signBlocker({ organizationId, deposit, facts }: Execution, pauses: Pauses): StepOutcome | null {
  const { intent } = facts
  const target = intent && { chainId: intent.targetChainId, token: intent.targetTokenAddress }
  const scopes = holdingScopes(organizationId, [deposit, ...(target ? [target] : [])])
  return pauses.find(scopes) && { retryInMs: pausePollMs, waitingFor: 'PAUSE' }
}

export type LowGas = (low: { chain: string; relayer: string; balanceWei: bigint; neededWei: bigint }) => void

type SlotBlockerPorts = Omit<RelayerPorts, 'relayers'> & { onLowGas: LowGas; share: number }

/**
 * Returns the wait if the relayer key of a deposit has no free slot, or cannot pay; null otherwise. The deposit waits
 * before its order is signed, because an unsigned order cannot lapse.
 */
export async function withoutSlot(
  execution: Execution,
  relayer: RelayerAddress,
  ports: SlotBlockerPorts,
): Promise<StepOutcome | null> {
  const request = slotRequestOf(execution, ports.share)
  const record = await withFreeSlot(relayer, ports, request)
  if (!record) return { retryInMs: slotPollMs, waitingFor: 'GAS' }
  return withoutGas(execution, relayer, record, ports)
}

/**
 * Returns the wait if the relayer cannot pay. The chain then waits, with an alert, and no execution fails for it. Part
 * of the relayer's balance is reserved for the transactions under way.
 */
async function withoutGas(
  { deposit, facts }: Execution,
  relayer: RelayerAddress,
  stored: Relayer,
  { chain, onLowGas }: SlotBlockerPorts,
) {
  const [balanceWei, { feeCap }] = await Promise.all([chain.nativeBalance(relayer.address), chain.fee()])
  const mined = inFlight(stored).length > 0 ? await chain.minedNonces(relayer.address) : 0
  const own = { gasLimit: facts.gasLimit!, nativeFee: facts.route!.call?.nativeFee ?? '0' }
  const neededWei = relayerNeed(stored, mined, feeCap, own)
  if (balanceWei >= neededWei) return null
  onLowGas({ chain: chainOf(deposit.chainId).name, relayer: relayer.address, balanceWei, neededWei })
  return { retryInMs: gasPollMs, waitingFor: 'GAS' } as const
}

/** Least poll interval for a node that shows the deposit’s transaction, in milliseconds. */
const inclusionPollMs = 2_000

/**
 * Returns the wait while the chain does not show a deposit in its confirmed block; null if it does. A reorganization
 * can move the deposit to a later block. The balance is then verified at that block before an order is signed. If the
 * transaction pays at another position there, that payment is a deposit with its own record, so this record must not
 * move the money. Two nodes must agree before this ends a deposit.
 *
 * @throws {RoutingError} DEPOSIT_NOT_ON_CHAIN, DEPOSIT_MOVED
 */
export async function inclusionBlocker(
  execution: Execution,
  { chain, now }: { chain: ChainClient; now: () => number },
): Promise<StepOutcome | null> {
  const { txHash, block } = execution.deposit
  if (txHash === null) return null // found by its balance, which was read at a confirmed block
  if (await isLogged(execution.deposit, block, chain)) return null
  const receipt = await chain.receipt(txHash)
  const isThere = receipt?.succeeded && receipt.block <= block
  if (isThere) return null
  const isMoved = receipt?.succeeded === true && (await isLogged(execution.deposit, receipt.block, chain))
  if (isMoved) return movedTo(receipt.block, execution, { chain, now })
  const isSeconded = receipt && (!chain.second || isDeepStrictEqual(await chain.second.receipt(txHash), receipt))
  if (isSeconded) {
    const places = receipt.succeeded ? await placesIn(execution.deposit, chain) : ['NONE']
    if (places.every((place) => place === 'NONE')) throw new RoutingError('DEPOSIT_NOT_ON_CHAIN')
    if (places.every((place) => place === 'OTHER')) throw new RoutingError('DEPOSIT_MOVED')
    if (places.every((place) => place === 'SAME')) return movedTo(receipt.block, execution, { chain, now })
  }
  // A node that lags may not have the transaction yet, although a confirmed block contained it. If no node shows it for
  // long, operators are alerted (NODE).
  return { retryInMs: pollMs(waitedMs(execution, 'NODE', now), inclusionPollMs), waitingFor: 'NODE' }
}

/**
 * Whether a block contains the deposit's transfer, as the chain has that block now. This takes one request. If the node
 * does not show the transfer, the caller fetches the transaction.
 */
async function isLogged({ account, txHash, logIndex }: Execution['deposit'], block: number, chain: ChainClient) {
  const transfers = await chain.transfersTo([account], block, block).catch(() => [])
  return transfers.some(
    (transfer) => transfer.txHash === txHash && transfer.logIndex === logIndex && transfer.block === block,
  )
}

/**
 * Returns where each node shows the account's payment in the deposit's transaction, also if it fails to read logs or
 * has the block before its logs. Null while it does not show the transaction in a confirmed block. The amount does not
 * count: a transaction that is mined again can pay another amount, such as the output of a swap.
 */
function placesIn({ account, token, txHash, logIndex }: Execution['deposit'], chain: ChainClient) {
  const own = `${txHash}:${logIndex}`.toLowerCase()
  return Promise.all(
    [chain, ...(chain.second ? [chain.second] : [])].map(async (node) => {
      const arrival = await node.arrived(txHash!, token, account)
      if (!arrival) return null
      if (arrival.parts.some(({ place }) => place === own)) return 'SAME'
      return arrival.parts.length > 0 ? 'OTHER' : 'NONE'
    }),
  )
}

/** Returns the wait until the balance was verified at the block to which a reorganization moved a deposit. */
async function movedTo(
  block: number,
  execution: Execution,
  { chain, now }: { chain: ChainClient; now: () => number },
): Promise<StepOutcome | null> {
  if ((execution.facts.balance?.block ?? 0) >= block) return null
  const waited = waitedMs(execution, 'BLOCK', now)
  const isConfirmed = (await chain.confirmedNumber()) >= block
  if (isConfirmed && waited > 0) return { type: 'balance outdated' }
  return { retryInMs: pollMs(waited, inclusionPollMs), waitingFor: 'BLOCK' }
}
