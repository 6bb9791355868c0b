import { formatUnits } from 'viem'
import { sentenceTime } from '../../domain/calendar'
import { chainOf } from '../../domain/chain/chain'
import { deadlineOf, deadlineOfAttempt, deliveryExpectedAt } from '../../domain/execution/deadline'
import { type DelayReason, type Execution, isLive, type Minting } from '../../domain/execution/execution'
import { type Successor, successorOf, supersedings } from '../../domain/execution/lane'
import { isRefused } from '../../domain/execution/mint'
import { overdueRow } from '../../domain/execution/overdue'
import { providerName } from '../../domain/execution/provider'
import { isLongHold, type Obstacle, type WaitReason } from '../../domain/execution/retry'
import { revertOf } from '../../domain/execution/route'
import type { Status } from '../../domain/execution/status'
import { parseAmount } from '../../domain/money/amount'
import { hasLeft } from '../../domain/money/holding'
import { view } from '../../domain/schema'
import { isOperatorRefund } from '../../domain/seals'
import { updatedAtOf } from './execution'
import type { FindToken } from './find-token'
import { described, isoTimeOrNull, Text, TextOrNull, TimeOrNull } from './scalar'

const actors = ['SERVICE', 'PROVIDER', 'INTEGRATOR', 'SENDER', 'OPERATOR', 'NOBODY'] as const

/** Who acts next, and when an operator starts to investigate (extensions 4.3). */
export const NextView = view({
  actor: described(view.enumerated(...actors), 'Who acts next', 'SERVICE'),
  action: Text('The action; more values may be added', 'SUBMIT'),
  expectedAt: TimeOrNull('Estimated time of the action', '2026-11-21T10:00:55.310Z'),
  by: TimeOrNull('When an operator is alerted if the execution still waits', '2026-11-21T10:10:25.310Z'),
  message: Text('An explanation in one or two sentences', 'The transaction is sent and waits to be mined.'),
  executionId: TextOrNull('For FOLLOW: the execution that has the money now', null),
})
export type NextView = typeof NextView.infer

type Actor = (typeof actors)[number]
type More = { expectedAt?: number | null; by?: number | null; executionId?: string }

export const next = (
  actor: Actor,
  action: string,
  message: string,
  { expectedAt = null, by = null, executionId }: More = {},
): NextView => ({
  actor,
  action,
  expectedAt: isoTimeOrNull(expectedAt),
  by: isoTimeOrNull(by),
  message,
  executionId: executionId ?? null,
})

const safe = 'The money is safe in the deposit account.'
const left = 'The money has left the deposit account.'
const refused = 'The chain rejected the transaction. The next step is chosen when the rejection is confirmed.'
const returned = 'The money is back in the deposit account, as a separate deposit.'
/** The reason for a wait that ends without anyone's action. */
const waitsFor: Partial<Record<WaitReason, string>> = {
  LANE: 'An earlier deposit of this token is under way; this one follows.',
  BLOCK: 'It waits for the next blocks of the chain.',
  NODE: 'The chain cannot be read reliably at the moment. Routing continues when enough of its nodes respond and are up to date.',
  GAS: 'It waits until our relayer has a free slot and coin for gas.',
  PROVIDER:
    'A routing provider is failing or rate limited, or a similar deposit is being quoted first. The next attempt starts ' +
    'automatically.',
  BUDGET: 'The platform pays its gas, but today’s budget is used up, or the plan no longer has one.',
  SIGNER:
    'The signer is unreachable or slow, does not accept the only route yet, or has reached its hourly limit for this ' +
    'token. Routing continues when the signer is available again.',
  TOKEN: 'The issuer of the deposited or the target token has stopped it. Routing continues when the stop ends.',
  QUOTA: 'Other deposits of the organization are being counted against its quota first.',
}
const worthUnknown =
  'No independent source can confirm that the output is worth the deposit. Routing continues when two sources agree on ' +
  'the prices, or when an operator approves a minimum output.'
const approved = 'An operator has approved a minimum output. A route that guarantees it is being sought.'
const paused =
  'Routing is paused, or paused for its chain, token, destination, provider or organization. The operators who began the pause, ' +
  'the platform’s or the organization’s own, can end it.'
const decides = 'An operator decides what happens next.'
const secondMs = 1_000
const minuteSeconds = 60

export function nextOf(execution: Execution, now: number, findToken: FindToken = () => null): NextView {
  const { status, completedAt, state } = execution
  const successor = successorOf(execution)
  if (successor) return followed(successor)
  if (completedAt !== null) return ended(execution, status!, now)
  if (isJustApproved(execution)) return next('SERVICE', 'ROUTE', `${safe} ${approved}`)
  // Between two attempts no transaction is in flight. Operators know of the lapsed orders; the next attempt follows.
  const deadline = status === 'FAILED' && isStill(execution) ? deadlineOfAttempt(execution) : deadlineOf(execution)
  if (deadline && now > deadline.by) {
    const { actor, action, message } = overdueRow(deadline.kind)
    const offers = offersOf(execution, findToken)
    const { why, until } = heldUp(execution)
    const story = isStill(execution) ? `${safe} ${message}` : message
    const report = unprovenReport(execution, providerOf(execution))
    return next(actor, action, story + report + why + offers, { expectedAt: until || null })
  }
  const by = deadline?.by ?? null
  if (state === 'RUNNING') return running(execution, by)
  return waiting(execution, by, findToken)
}

/** Returns the view of an execution whose money another execution has now (decision 44). */
const followed = ({ id, by }: Successor): NextView =>
  next('NOBODY', 'FOLLOW', supersedings[by].message.replace('{id}', id), { executionId: id })

/** Whether no worker has read the record since its approval. A worker that reads it sets another due time. */
const isJustApproved = ({ facts: { waiting, worthApproval }, dueAt }: Execution): boolean =>
  waiting?.for === 'WORTH' && worthApproval !== undefined && dueAt === worthApproval.at

/**
 * Returns the guaranteed outputs that an operator can approve, for an execution that waits for its value to be known.
 * An approval names one of them in atomic units.
 */
function offersOf({ facts: { waiting, candidates = [], intent } }: Execution, findToken: FindToken): string {
  if (waiting?.for !== 'WORTH') return ''
  const token = intent && findToken(intent.targetChainId, intent.targetTokenAddress)
  const offers = candidates.flatMap(({ provider, amountOutMin, outcome }) => {
    const amount = parseAmount(amountOutMin)
    if (outcome !== 'UNJUDGED' || amount === null) return []
    const much = token
      ? `${formatUnits(amount, token.decimals)} ${token.symbol} (${amountOutMin} atomic units)`
      : `${amountOutMin} atomic units of the target token`
    return [` ${providerName(provider)} guarantees ${much}.`]
  })
  return offers.join('')
}

/** Whether no signed transaction can still move the money. */
const isStill = (execution: Execution): boolean => !hasLeft(execution) && !isLive(execution)

function waiting(execution: Execution, by: number | null, findToken: FindToken): NextView {
  const { status, facts, dueAt } = execution
  const since = facts.waiting?.since ?? updatedAtOf(execution)
  const reason = facts.waiting?.for
  const waits = reason && waitsFor[reason]
  if (isAlarm(execution)) return next('OPERATOR', 'INVESTIGATE', `${safe} ${execution.cause!.message} ${decides}`)
  if (status === 'FAILED' && dueAt !== null && reason !== 'PAUSE' && reason !== 'WORTH') {
    const message = `${safe} ${waits ?? 'The last attempt failed; the next attempt starts automatically.'}`
    return next('SERVICE', 'RETRY', message, { expectedAt: dueAt, by })
  }
  switch (reason) {
    case 'INTENT':
      return next('INTEGRATOR', 'CREATE_INTENT', `${safe} It is routed as soon as this user has a deposit intent.`)
    case 'BUDGET':
      return next('OPERATOR', 'RAISE_BUDGET', `${safe} ${waits} Routing continues with the next day’s budget.`, { by })
    case 'LANE':
      return next('SERVICE', 'WAIT', `${safe} ${waits}`, { by })
    case 'PAUSE':
      return next('OPERATOR', 'RESUME', `${safe} ${paused}`)
    case 'WORTH':
      return next('OPERATOR', 'APPROVE', `${safe} ${worthUnknown}${offersOf(execution, findToken)}`, { by })
    default: {
      const times = { expectedAt: reason === 'PROVIDER' ? dueAt : since + 10 * secondMs, by }
      return status === 'PENDING'
        ? next('SERVICE', 'SUBMIT', waits ?? 'The route is chosen, and its transaction is about to be sent.', times)
        : next('SERVICE', 'ROUTE', `${safe} ${waits ?? 'A route is being sought.'}`, times)
    }
  }
}

/**
 * Whether its last event was an intent without a seal. A cause that was kept after a retry is older than the last
 * event.
 */
const isAlarm = ({ cause, history }: Execution): boolean =>
  cause?.code === 'INTENT_NOT_SEALED' && cause.at >= (history.at(-1)?.at ?? 0)

function running(execution: Execution, by: number | null): NextView {
  const { spent, route, intent, waiting, mint, delay } = execution.facts
  if (!spent) {
    const times = { expectedAt: updatedAtOf(execution) + 30 * secondMs, by }
    const unread = waiting?.for === 'NODE' ? ` ${waitsFor.NODE}` : ''
    if (revertOf(execution)) return next('SERVICE', 'CONFIRM', `${safe} ${refused}${unread}`, times)
    const waits = unread ? `.${unread}` : ' and waits to be mined.'
    return next('SERVICE', 'SUBMIT', `The transaction is sent${waits}`, times)
  }
  const { name } = chainOf(intent?.targetChainId ?? execution.deposit.chainId)
  const provider = providerOf(execution)
  const held = heldUp(execution)
  const expectedAt = Math.max(deliveryExpectedAt(execution) ?? 0, held.until)
  if (mint) return minting(mint, { provider, name, waiting, why: held.why }, { expectedAt, by })
  const onItsWay = `The transfer is on its way${route ? ` with ${provider}` : ''} to ${name}.`
  return next('PROVIDER', 'DELIVER', onItsWay + delayed(delay) + unprovenReport(execution, provider) + held.why, {
    expectedAt,
    by,
  })
}

const delays: Record<DelayReason, string> = {
  FEE_TOO_LOW: 'the fee for a fast transfer rose above what this one allows',
  AMOUNT_TOO_LARGE: 'the amount is above Circle’s limit for fast transfers',
  ALLOWANCE_USED_UP: 'Circle’s allowance for fast transfers is used up',
  OTHER: 'Circle does not attest this transfer early',
}
const delayed = (delay: Execution['facts']['delay']): string =>
  delay ? ` It takes as long as a standard transfer, because ${delays[delay.reason]}.` : ''

/**
 * Returns, as sentences, what a provider reports about money in flight if only an operator can settle it: a refund
 * without a transaction, or another execution's transaction. Empty otherwise.
 */
function unprovenReport({ continuedBy, facts: { doubted } }: Execution, provider: string): string {
  if (doubted?.isTaken)
    return (
      ` ${provider} names transaction ${doubted.hash} as the delivery, which another execution claims. Search for it ` +
      'to find that one. If its money was refunded, this one is delivered, and an operator ends it with dead-letter.'
    )
  if (doubted?.hash !== null || continuedBy !== null) return ''
  return (
    ` ${provider} reports a refund without its transaction, and no deposit is recorded as it. An operator compares the ` +
    'report with the later deposits of this account, and ends this one with dead-letter if one of them is its refund.'
  )
}

/**
 * Returns why the arrival of money in flight cannot be checked for more than a minute, as a sentence, and until when.
 * The money itself can arrive during that time.
 */
function heldUp(execution: Execution): { why: string; until: number } {
  const { hold } = execution.facts
  if (!isLongHold(hold)) return { why: '', until: 0 }
  return {
    why: ` ${holdWhy(hold, providerOf(execution))} The next check is on ${sentenceTime(hold.until)}.`,
    until: hold.until,
  }
}

const providerOf = ({ facts: { route } }: Execution): string => (route ? providerName(route.provider) : 'The provider')

function holdWhy({ of, why }: Obstacle, provider: string): string {
  if (why === 'PACE' && of !== 'BLOCK')
    return 'There is no sign of its arrival yet. Checks become less frequent the longer it takes.'
  if (of !== 'PROVIDER') return waitsFor[of] ?? 'Its arrival cannot be checked at the moment.'
  return why === 'LIMIT'
    ? `${provider} allows no more requests for now, so the arrival cannot be checked.`
    : `${provider} does not respond correctly, so the arrival cannot be checked.`
}

type Attested = { provider: string; name: string; waiting: Execution['facts']['waiting']; why: string }

/** Describes money that was burned on one chain and attested for the other, where any account can mint it. */
function minting(mint: Minting, { provider, name, waiting, why: held }: Attested, times: More): NextView {
  const attested = `${provider} has attested the transfer. Any account can mint it on ${name}, for the recipient only.`
  if (isRefused(mint)) {
    const refused = `${provider} has attested the transfer, but ${name} rejects the mint now.`
    const why = 'It might have just been minted, or Circle has paused there, or blocks the recipient.'
    return next('PROVIDER', 'DELIVER', `${refused} ${why} It is retried automatically.${held}`, times)
  }
  const acts =
    waiting?.for === 'GAS'
      ? 'It waits until our relayer there has a free slot and coin for gas.'
      : 'Our mint transaction is on its way.'
  return next('SERVICE', 'DELIVER', `${attested} ${acts}${held}`, times)
}

/** Returns who acts next after the end (extensions 9.2). */
function ended(execution: Execution, status: Status, now: number): NextView {
  const { cause } = execution
  switch (status) {
    case 'SUCCESS':
      return next('NOBODY', 'NONE', isOperatorRefund(execution) ? 'Refunded to the refund address.' : 'Delivered.')
    case 'FAILED_INVALID_INPUT':
      return cause?.code === 'TOKEN_NOT_SUPPORTED'
        ? next('OPERATOR', 'REVIEW', `${safe} ${cause.message} ${wayBackOf(execution)}`)
        : next('INTEGRATOR', 'CHANGE_INTENT', `${safe} Correct the intent, then ask for a re-drive.`)
    case 'FAILED_UNROUTABLE_MAIN':
      return next(
        'INTEGRATOR',
        'CHANGE_INTENT',
        `${safe} No provider currently routes this token there. Choose another target or try again later.`,
      )
    case 'FAILED_INSUFFICIENT_AFTER_FEES':
      return next(
        'SENDER',
        'SEND_MORE',
        `${safe} It does not cover the fees. Another deposit of the same token on the same chain includes it.`,
      )
    case 'FAILED_NO_FUNDS':
      return cause?.code === 'DEPOSIT_MOVED'
        ? next('NOBODY', 'NONE', cause.message)
        : next('NOBODY', 'NONE', 'The deposit is not on the chain, or was already routed.')
    case 'QUOTA_EXCEEDED':
      return next(
        'INTEGRATOR',
        'RAISE_QUOTA',
        `${safe} Raise the plan or wait for the new month, then ask for a re-drive.`,
      )
    case 'TOKEN_BLACKLISTED':
      return next(
        'OPERATOR',
        'REVIEW',
        'The money stays in the deposit account because the token or an address is on the security list.',
      )
    default: {
      if (cause?.code === 'FUNDS_RETURNED') return next('OPERATOR', 'INVESTIGATE', `${returned} ${cause.message}`)
      const place = hasLeft(execution) ? left : safe
      return next(
        'OPERATOR',
        'INVESTIGATE',
        [place, cause?.message, decides, stillGood(execution, now)].filter(Boolean).join(' '),
      )
    }
  }
}

/** Returns how to recover money that no order may move. */
const wayBackOf = ({ facts: { intent } }: Execution): string =>
  intent?.refundAddress
    ? 'Changing the target does not help. Ask the operator, who can refund it to the refund address.'
    : 'Changing the target does not help. Name a refund address in the intent, and ask the operator for a refund.'

/**
 * Returns until when a re-drive is refused, as a sentence: an order that the chain rejected expires once a block after
 * its deadline is confirmed. Null if that has happened, assuming the chain's usual pace.
 */
function stillGood({ facts: { order, spent }, deposit }: Execution, now: number): string | null {
  if (!order || spent) return null
  const { confirmations, blockSeconds } = chainOf(deposit.chainId)
  if (now > (order.deadline + confirmations * blockSeconds) * secondMs) return null
  // Rounded up, so the time shown is never before the deadline.
  const time = sentenceTime(Math.ceil(order.deadline / minuteSeconds) * minuteSeconds * secondMs)
  return `Its signed order expires on ${time}; it can be re-driven after a later block is confirmed.`
}
