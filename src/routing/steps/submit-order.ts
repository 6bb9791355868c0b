import { newest } from '../../domain/chain/relayer'
import { placeLookMs, pollMs } from '../../domain/execution/retry'
import type { Chains } from '../../ports/chain-client'
import type { Pauses } from '../../ports/pauses'
import { endOf } from '../delivery/order-end'
import { hasSlot, isStillBusy, type Sending, slotFor } from '../delivery/sender'
import type { Step } from '../engine/advance'
import { waitedMs } from '../engine/waited-ms'
import type { Limits } from './find-route'
import { signBlocker } from './sign-blockers'

const keyBusyMs = 250

type Ports = Omit<Sending, 'chain'> & { chains: Chains; pauses: Pauses; limits: Pick<Limits, 'relayerShareOf'> }

/**
 * Stores the order's transaction under its nonce, and then sends it. From then on `tend` sends what is stored again
 * until it is mined.
 */
export const submitOrder =
  ({ chains, limits, pauses, ...ports }: Ports): Step =>
  async (execution) => {
    const { organizationId, deposit, facts } = execution
    const order = facts.order!
    const sending = { ...ports, chain: chains[deposit.chainId] }
    const askAgainInMs = pollMs(waitedMs(execution, 'GAS', ports.now), keyBusyMs)
    const wait = { askAgainInMs, waitingFor: 'GAS' } as const
    const head = await sending.chain.head()
    if (order.deadline < head.time) return (await endOf(execution, sending)) ?? wait
    const halted = signBlocker(execution, pauses)
    if (halted && !(await hasSlot(order, sending))) return halted
    const busy = { ...wait, askAgainInMs: placeLookMs }
    const tenant = { organizationId, share: await limits.relayerShareOf(organizationId) }
    if (facts.waiting?.for === 'GAS' && isStillBusy(order, sending, tenant)) return busy
    const given = await slotFor(order, sending, tenant)
    if (!given) return busy
    const attempt = newest(given.slot)
    if (!attempt) return { type: 'transaction submitted' } // it was mined while this worker slept
    await sending.chain.send(attempt.bytes)
    const { hash, at } = attempt
    const sent = { hash, at, nonce: given.slot.nonce, sender: given.senderId }
    return { type: 'transaction submitted', facts: { transactions: [sent] } }
  }
