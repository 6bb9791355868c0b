import { newest, transactionOf } from '../../domain/chain/relayer'
import { pollMs, slotPollMs, waitedMs } from '../../domain/execution/retry'
import type { Chains } from '../../ports/chain-client'
import type { Limits } from '../../ports/limits'
import type { Pauses } from '../../ports/operators'
import { endOf } from '../delivery/evidence'
import { giveUpSlot, hasSlot, isSlotReserved, slotFor } from '../delivery/relayer-nonces'
import { type RelayersOfAll, relayersOn, sendStored, slotRequestOf } from '../delivery/relayer-slots'
import { signBlocker } from '../engine/sign-blockers'
import type { Step } from '../engine/step'

const keyBusyMs = 250

type Ports = RelayersOfAll & { chains: Chains; pauses: Pauses; limits: Pick<Limits, 'relayerShareOf'> }

/**
 * Stores the order's transaction under its nonce, and then sends it. From then on `tend` re-sends the stored
 * transaction until it is mined.
 */
export const submitOrder =
  (ports: Ports): Step =>
  async (execution) => {
    const { organizationId, deposit, facts } = execution
    const order = facts.order!
    const { chains, limits, pauses, now } = ports
    const relaying = relayersOn(ports, chains[deposit.chainId])
    const retryInMs = pollMs(waitedMs(execution, 'GAS', now), keyBusyMs)
    const wait = { retryInMs, waitingFor: 'GAS' } as const
    const head = await relaying.chain.head()
    if (order.deadline < head.time) return (await endOf(execution, relaying)) ?? wait
    const blocked = signBlocker(execution, pauses)
    if (blocked && !(await hasSlot(order, relaying))) {
      if (facts.waiting?.for === 'GAS') await giveUpSlot(order, relaying, execution.id)
      return blocked
    }
    const share = await limits.relayerShareOf(organizationId)
    const request = slotRequestOf(execution, share)
    const assigned = await slotFor(order, relaying, request)
    // A node that lags may not show yet that the slot is free.
    if (!assigned) return (await isSlotReserved(order, relaying, request)) ? wait : { ...wait, retryInMs: slotPollMs }
    const attempt = newest(assigned.slot)
    if (!attempt) return { type: 'transaction submitted' } // it was mined while this worker stalled
    if (!assigned.isSent) await sendStored(attempt.bytes, assigned.relayerId, relaying)
    return {
      type: 'transaction submitted',
      facts: { transactions: [transactionOf(attempt, assigned.slot, assigned.relayerId)] },
    }
  }
