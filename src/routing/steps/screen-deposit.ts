import { isNobodys } from '../../domain/deposit/deposit-intent'
import { RoutingError } from '../../domain/error'
import { returnsMax } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { Pauses } from '../../ports/pauses'
import type { Blacklist } from '../../ports/tenants'
import { passBlocker } from '../engine/passes'
import { assurePayable, type Payable } from '../engine/payable'
import { assureUnlisted, signBlocker } from '../engine/sign-blockers'
import type { Step } from '../engine/step'

/** With more decimals than this, a price in atomic units means nothing. */
const decimalsMax = 36

type Ports = { blacklist: Blacklist; pauses: Pauses; payable: Payable; now: () => number } & {
  /** Absent in a preview, whose deposit need not exist. */
  executions?: Pick<Executions, 'load' | 'leadingTo'> | undefined
}

/** Checks whether the deposit may be routed at all: its token, its parties and its target. */
export const screenDeposit =
  ({ blacklist, pauses, payable, ...ports }: Ports): Step =>
  async (execution) => {
    const { deposit, facts, redriveOf } = execution
    const intent = facts.intent!
    const { token } = deposit
    assureUnlisted(execution, blacklist)

    // A bridge sends back what the recipient does not take. That reason says more than the number of returns.
    if (execution.refundOf !== null) await assurePayable(execution, payable)
    if ((facts.returns ?? 0) > returnsMax && redriveOf === null) throw new RoutingError('RETURNED_TOO_OFTEN')
    if (amountOf(deposit.amountRaw) === 0n) throw new RoutingError('INVALID_AMOUNT')
    if (deposit.decimals === null || deposit.decimals > decimalsMax) throw new RoutingError('TOKEN_NOT_SUPPORTED')
    const forbidden = [intent.targetTokenAddress, deposit.account, token].map((address) => address.toLowerCase())
    if (isNobodys(intent.targetAddress) || forbidden.includes(intent.targetAddress.toLowerCase()))
      throw new RoutingError('INVALID_TARGET')
    const { executions, now } = ports
    const passing = executions && (await passBlocker(execution, { executions, now }))
    return passing ?? signBlocker(execution, pauses) ?? { type: 'deposit screened' }
  }
