import type { ChainId } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import type { Deposit, Execution, Facts } from '../domain/execution/execution'
import { hasDelivered, type PaidDeposit } from '../domain/execution/lane'
import type { Route } from '../domain/execution/route'
import { isNative } from '../domain/money/token'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { Executions } from '../ports/executions'
import type { Blacklist } from '../ports/tenants'

export type ScreeningPorts = { blacklist: Blacklist; executions: Pick<Executions, 'loadMany' | 'leadingTo'> }

/** A record whose payers are screened. */
type Paid = {
  refundOf: string | null
  deposit: PaidDeposit & Pick<Deposit, 'lane'>
  facts: Pick<Facts, 'broughtBy'>
}
/** An earlier execution that moved the money. `delivered`: the deposit that it delivered, or might have. */
type Earlier = { id: string; delivered: PaidDeposit | null; isSure: boolean }

/** Returns the executions that delivered a deposit, or might have. `isSure`: only if that is proved. */
export async function deliverersOf(
  { deposit }: Pick<Paid, 'deposit'>,
  executions: Pick<Executions, 'leadingTo'>,
  isSure = false,
): Promise<Execution[]> {
  const leading = await executions.leadingTo(deposit.lane, deposit.txHash)
  const sure = leading.filter((one) => hasDelivered(one, deposit) === 'YES')
  return isSure || sure.length > 0 ? sure : leading.filter((one) => hasDelivered(one, deposit) === 'MAYBE')
}

/**
 * Whether a payer of a record's own money is on the security list. If a bridge returned the money, or if another of our
 * executions delivered it, its payers are the payers of the sent money and of every leftover that it included. MAYBE:
 * such an execution of a listed payer might have delivered it.
 */
export async function isPayerListed(
  record: Paid,
  { blacklist, executions }: ScreeningPorts,
): Promise<'YES' | 'MAYBE' | 'NO'> {
  const isListed = ({ deposit: { chainId, fromAddress, senders = [] } }: Paid) =>
    [fromAddress, ...senders].some((sender) => sender !== null && blacklist.isListed('ADDRESS', chainId, sender))
  if (isListed(record)) return 'YES'
  let isDoubtful = false
  const seen = new Set<string>()
  for (let before = await earlierOf(record, true, executions); before.length > 0; ) {
    const sent = await executions.loadMany([...new Set(before.map(({ id }) => id))])
    const further: Earlier[] = []
    for (const { id, delivered, isSure } of before) {
      const one = sent.find((other) => other.id === id)
      const has = one && delivered ? hasDelivered(one, delivered) : 'YES'
      const isCertain = isSure && has === 'YES'
      if (!one || has === 'NO' || seen.has(`${id} ${isCertain}`)) continue
      seen.add(`${id} ${isCertain}`)
      if (isListed(one) && isCertain) return 'YES'
      isDoubtful ||= isListed(one)
      const residue = one.facts.spent ? (one.facts.residue ?? []) : []
      further.push(
        ...(await earlierOf(one, isCertain, executions)),
        ...residue.map((of) => ({ id: of, delivered: null, isSure: isCertain })),
      )
    }
    before = further
  }
  return isDoubtful ? 'MAYBE' : 'NO'
}

/** A record that ended before its screening names no deliverers, so they are read. */
async function earlierOf(
  { refundOf, deposit, facts }: Paid,
  isSure: boolean,
  executions: ScreeningPorts['executions'],
): Promise<Earlier[]> {
  const unnamed = facts.broughtBy || refundOf !== null ? [] : await deliverersOf({ deposit }, executions)
  return [
    ...(refundOf === null ? [] : [{ id: refundOf, delivered: null, isSure }]),
    ...(facts.broughtBy ?? unnamed.map(({ id }) => id)).map((id) => ({ id, delivered: deposit, isSure })),
  ]
}

/** Retry delay of a deposit that an execution of a listed payer might have delivered, in milliseconds. */
const doubtMs = 5_000

/**
 * Throws if a token or a party of a deposit is on the security list. Checked at screening, at a re-drive, and again
 * right before signing, because the list may have grown.
 *
 * @throws {TemporarilyUnavailable} while it is unproved whether an execution of a listed payer delivered the deposit.
 */
export async function assureUnlisted(
  execution: Pick<Execution, 'deposit' | 'facts' | 'refundOf'>,
  ports: ScreeningPorts,
): Promise<void> {
  const { chainId, token } = execution.deposit
  const { targetChainId, targetTokenAddress, targetAddress } = execution.facts.intent!
  const isListed: Blacklist['isListed'] = (...args) => ports.blacklist.isListed(...args)
  if (isListed('TOKEN', chainId, token) || isListed('TOKEN', targetChainId, targetTokenAddress))
    throw new RoutingError('TOKEN_BLACKLISTED')
  const listed = isListed('ADDRESS', targetChainId, targetAddress) ? 'YES' : await isPayerListed(execution, ports)
  if (listed === 'YES') throw new RoutingError('ADDRESS_BLACKLISTED')
  if (listed === 'MAYBE') throw new TemporarilyUnavailable('the delivery of a listed payer', doubtMs, 'LANE')
}

/**
 * Returns why a route may not be taken: the account would call a listed address. A route of another provider may still
 * be taken. Returns null if there is no objection.
 */
export const targetObjection =
  (blacklist: Blacklist) =>
  ({ call }: Route, chainId: ChainId): string | null => {
    const called = call ? [call.target, call.spender].filter((address) => !isNative(address)) : []
    const isListed = called.some((address) => blacklist.isListed('ADDRESS', chainId, address))
    return isListed ? 'It calls an address on the security list.' : null
  }
