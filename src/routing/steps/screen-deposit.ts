import { isReservedAddress } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import { returnsMax } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { Pauses } from '../../ports/operators'
import type { Blacklist } from '../../ports/tenants'
import { assureUnlisted } from '../../screening/deposit-screening'
import { passBlocker, sourcesOf } from '../engine/passing-on'
import { assurePayable, type Payable } from '../engine/payable'
import { signBlocker } from '../engine/sign-blockers'
import type { Step } from '../engine/step'

/** With more decimals than this, a price in atomic units is meaningless. */
const decimalsMax = 36

type Ports = {
  blacklist: Blacklist
  executions: Pick<Executions, 'load' | 'loadMany' | 'leadingTo'>
  pauses: Pauses
  payable: Payable
  now: () => number
  /** The deposit of a preview need not exist, so the deliveries that brought it are not traced. */
  isPreview?: boolean
}

/** Checks whether the deposit may be routed at all: its token, its parties and its target. */
export const screenDeposit =
  ({ blacklist, executions, pauses, payable, now, isPreview = false }: Ports): Step =>
  async (execution) => {
    const { deposit, facts, redriveOf } = execution
    const intent = facts.intent!
    const { token } = deposit
    const deliverers = isPreview ? [] : await sourcesOf(execution, { executions })
    const brought = { broughtBy: deliverers.map(({ id }) => id) }
    await assureUnlisted({ ...execution, facts: { ...facts, ...brought } }, { blacklist, executions })

    // A bridge returns money that the recipient does not accept. That reason is more useful than the number of returns.
    if (execution.refundOf !== null) await assurePayable(execution, payable)
    if ((facts.returns ?? 0) > returnsMax && redriveOf === null) throw new RoutingError('RETURNED_TOO_OFTEN')
    if (amountOf(deposit.amountRaw) === 0n) throw new RoutingError('INVALID_AMOUNT')
    if (deposit.decimals === null || deposit.decimals > decimalsMax) throw new RoutingError('TOKEN_NOT_SUPPORTED')
    const forbidden = [intent.targetTokenAddress, deposit.account, token].map((address) => address.toLowerCase())
    if (isReservedAddress(intent.targetAddress) || forbidden.includes(intent.targetAddress.toLowerCase()))
      throw new RoutingError('INVALID_TARGET')
    const passing = await passBlocker(execution, deliverers, { executions, now })
    if (passing) return passing
    return (
      signBlocker(execution, pauses) ?? { type: 'deposit screened', ...(deliverers.length > 0 && { facts: brought }) }
    )
  }
