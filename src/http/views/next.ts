import { formatUnits } from 'viem'
import { sentenceTime } from '../../domain/calendar'
import { chainOf } from '../../domain/chain/chain'
import { deadlineOf, deliveryExpectedAt } from '../../domain/execution/deadline'
import { type Execution, isLive } from '../../domain/execution/execution'
import { type Successor, successorOf, supersedings } from '../../domain/execution/lane'
import { isRefused } from '../../domain/execution/mint'
import type { DelayReason, Minting } from '../../domain/execution/minting'
import { overdueRow } from '../../domain/execution/overdue'
import { providerName } from '../../domain/execution/provider'
import { type Hold, isLongHold, type WaitReason } from '../../domain/execution/retry'
import { revertOf } from '../../domain/execution/route'
import type { Status } from '../../domain/execution/status'
import { parseAmount } from '../../domain/money/amount'
import { hasLeft } from '../../domain/money/holding'
import { view } from '../../domain/schema'
import { isGivenBack } from '../../domain/seals'
import { updatedAtOf } from './execution'
import type { FindToken } from './find-token'
import { described, isoTimeOrNull, Text, TextOrNull, TimeOrNull } from './scalar'

const actors = ['SERVICE', 'PROVIDER', 'INTEGRATOR', 'SENDER', 'OPERATOR', 'NOBODY'] as const

/** Who acts next, and by when an operator looks into it (extensions 4.3). */
export const NextView = view({
  actor: described(view.enumerated(...actors), 'Who acts next', 'SERVICE'),
  action: Text('What is done; more values may come', 'SUBMIT'),
  expectedAt: TimeOrNull('Estimated time of it', '2026-11-21T10:00:55.310Z'),
  by: TimeOrNull('When an operator is alerted if it still waits', '2026-11-21T10:10:25.310Z'),
  message: Text('An explanation in a sentence or two', 'The transaction is sent and waits to be mined.'),
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
const refused = 'The chain refused the transaction; what follows is decided when that is confirmed.'
const returned = 'The money is back in the deposit account, as a deposit of its own.'
/** What an execution waits for, where it goes on without anybody acting. */
const waitsFor: Partial<Record<WaitReason, string>> = {
  LANE: 'An earlier deposit of this token is under way; this one follows it.',
  BLOCK: 'It waits for the next blocks of the chain.',
  NODE: 'The chain cannot be read reliably at the moment; it goes on when enough of its nodes answer and are up to date.',
  GAS: 'It waits until its transaction can be paid for.',
  PROVIDER:
    'A routing provider has failed often, allows no more requests for now, or is being asked for a deposit like this ' +
    'one; it is asked as soon as that is over.',
  BUDGET: 'The platform pays its gas, and today’s budget for that is used up, or the plan has none any more.',
  SIGNER:
    'What signs its transaction cannot be reached at the moment, takes long to answer, or has signed as much of this ' +
    'token as it may in an hour; it goes on when that is over.',
  TOKEN: 'The issuer of the target token has stopped it on the destination chain; it goes on when that is over.',
  QUOTA: 'Other deposits of the organization are being counted against its quota; this one follows.',
}
const worthUnknown =
  'Nobody independent can say whether what would arrive is worth what goes in. It goes on by itself when two sources ' +
  'agree on the prices, or when an operator approves the least amount that may arrive.'
const approved = 'An operator has approved the least amount that may arrive; a route that guarantees it is being found.'
const decides = 'An operator decides what happens next.'
const secondMs = 1_000
const minuteSeconds = 60

export function nextOf(execution: Execution, now: number, findToken: FindToken = () => null): NextView {
  const { status, completedAt, state } = execution
  const successor = successorOf(execution)
  if (successor) return followed(successor)
  if (completedAt !== null) return ended(execution, status!, now)
  if (isJustApproved(execution)) return next('SERVICE', 'ROUTE', `${safe} ${approved}`)
  const deadline = deadlineOf(execution)
  if (deadline && now > deadline.by) {
    const { actor, action, message } = overdueRow(deadline.kind)
    const offers = offersOf(execution, findToken)
    return next(actor, action, (isStill(execution) ? `${safe} ${message}` : message) + offers)
  }
  const by = deadline?.by ?? null
  if (state === 'RUNNING') return running(execution, by)
  return waiting(execution, by, findToken)
}

/** The view of an execution whose money another one has now (decision 44). */
const followed = ({ id, by }: Successor): NextView =>
  next('NOBODY', 'FOLLOW', supersedings[by].message.replace('{id}', id), { executionId: id })

/** Whether no worker has looked at it since its approval: a worker that looks sets another time for the next look. */
const isJustApproved = ({ facts: { waiting, worthApproval }, dueAt }: Execution): boolean =>
  waiting?.for === 'WORTH' && worthApproval !== undefined && dueAt === worthApproval.at

/**
 * The guaranteed outputs that an operator may approve, for an execution that waits for its worth. An approval names
 * one in atomic units.
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

/** Whether no signed transaction can move the money any more. */
const isStill = (execution: Execution): boolean => !hasLeft(execution) && !isLive(execution)

function waiting(execution: Execution, by: number | null, findToken: FindToken): NextView {
  const { status, facts, dueAt } = execution
  const since = facts.waiting?.since ?? updatedAtOf(execution)
  const reason = facts.waiting?.for
  const waits = reason && waitsFor[reason]
  if (isAlarm(execution)) return next('OPERATOR', 'INVESTIGATE', `${safe} ${execution.cause!.message} ${decides}`)
  if (status === 'FAILED' && dueAt !== null && reason !== 'PAUSE' && reason !== 'WORTH') {
    const message = `${safe} ${waits ?? 'The last attempt failed; another one follows by itself.'}`
    return next('SERVICE', 'RETRY', message, { expectedAt: dueAt, by })
  }
  switch (reason) {
    case 'INTENT':
      return next('INTEGRATOR', 'CREATE_INTENT', `${safe} It is routed as soon as this user has a deposit intent.`)
    case 'BUDGET':
      return next('OPERATOR', 'RAISE_BUDGET', `${safe} ${waits} It goes on by itself with the next day’s budget.`)
    case 'LANE':
      return next('SERVICE', 'WAIT', `${safe} ${waits}`, { by })
    case 'PAUSE':
      return next('OPERATOR', 'RESUME', `${safe} Routing is paused; it goes on when the pause ends.`)
    case 'WORTH':
      return next('OPERATOR', 'APPROVE', `${safe} ${worthUnknown}${offersOf(execution, findToken)}`, { by })
    default: {
      const times = { expectedAt: since + 10 * secondMs, by }
      return status === 'PENDING'
        ? next('SERVICE', 'SUBMIT', waits ?? 'The route is found; its transaction is about to be sent.', times)
        : next('SERVICE', 'ROUTE', `${safe} ${waits ?? 'A route is being found.'}`, times)
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
    if (revertOf(execution)) return next('SERVICE', 'CONFIRM', `${safe} ${refused}`, times)
    const waits = waiting?.for === 'NODE' ? `. ${waitsFor.NODE}` : ' and waits to be mined.'
    return next('SERVICE', 'SUBMIT', `The transaction is sent${waits}`, times)
  }
  const { name } = chainOf(intent?.targetChainId ?? execution.deposit.chainId)
  const provider = route ? providerName(route.provider) : 'The provider'
  const held = heldUp(execution, provider)
  const expectedAt = Math.max(deliveryExpectedAt(execution) ?? 0, held.until)
  if (mint) return minting(mint, { provider, name, waiting, why: held.why }, { expectedAt, by })
  const onItsWay = `The transfer is on its way${route ? ` with ${provider}` : ''} to ${name}.`
  return next('PROVIDER', 'DELIVER', onItsWay + delayed(delay) + held.why, { expectedAt, by })
}

const delays: Record<DelayReason, string> = {
  FEE_TOO_LOW: 'the fee for a fast transfer rose above what this one allows',
  AMOUNT_TOO_LARGE: 'the amount is above what Circle transfers fast',
  ALLOWANCE_USED_UP: 'Circle’s allowance for fast transfers is used up',
  OTHER: 'Circle does not attest this transfer early',
}
const delayed = (delay: Execution['facts']['delay']): string =>
  delay ? ` It takes as long as a standard transfer, because ${delays[delay.reason]}.` : ''

/**
 * Why nothing can be learned for more than a minute of money in flight, as a sentence, and until when. The money itself
 * may arrive meanwhile.
 */
function heldUp({ facts: { hold } }: Execution, provider: string): { why: string; until: number } {
  if (!isLongHold(hold)) return { why: '', until: 0 }
  return {
    why: ` ${holdWhy(hold, provider)} It is looked for again on ${sentenceTime(hold.until)}.`,
    until: hold.until,
  }
}

function holdWhy({ of, why }: Hold, provider: string): string {
  if (why === 'PACE' && of !== 'BLOCK')
    return 'Nothing shows yet that it has arrived, and it is looked for less often the longer it takes.'
  if (of !== 'PROVIDER') return waitsFor[of] ?? 'What would show that it has arrived cannot be read at the moment.'
  return why === 'LIMIT'
    ? `${provider} allows no more requests for now, so it cannot be asked whether it has arrived.`
    : `${provider} does not answer as it should, so it cannot be asked whether it has arrived.`
}

type Attested = { provider: string; name: string; waiting: Execution['facts']['waiting']; why: string }

/** The money is burnt on one chain and attested for the other, where anybody may have it minted. */
function minting(mint: Minting, { provider, name, waiting, why: held }: Attested, times: More): NextView {
  const attested = `${provider} has attested the transfer, and it can be minted on ${name} by anybody, for the recipient alone.`
  if (isRefused(mint)) {
    const refused = `${provider} has attested the transfer, but ${name} would not mint it now.`
    const why = 'Somebody may have had it minted just now, or Circle has paused there, or refuses the recipient.'
    return next('PROVIDER', 'DELIVER', `${refused} ${why} It is tried again by itself.${held}`, times)
  }
  const acts =
    waiting?.for === 'GAS'
      ? 'It waits until our relayer there has a free place and coin for gas.'
      : 'Our transaction that mints it is on its way.'
  return next('SERVICE', 'DELIVER', `${attested} ${acts}${held}`, times)
}

/** Who acts next after the end (extensions 9.2). */
function ended(execution: Execution, status: Status, now: number): NextView {
  const { cause } = execution
  switch (status) {
    case 'SUCCESS':
      return next('NOBODY', 'NONE', isGivenBack(execution) ? 'Given back to the refund address.' : 'Delivered.')
    case 'FAILED_INVALID_INPUT':
      return cause?.code === 'TOKEN_NOT_SUPPORTED'
        ? next('OPERATOR', 'REVIEW', `${safe} ${cause.message} ${wayBackOf(execution)}`)
        : next('INTEGRATOR', 'CHANGE_INTENT', `${safe} Correct the intent, then ask for a re-drive.`)
    case 'FAILED_UNROUTABLE_MAIN':
      return next(
        'INTEGRATOR',
        'CHANGE_INTENT',
        `${safe} No provider takes this token there now. Choose another target or try again later.`,
      )
    case 'FAILED_INSUFFICIENT_AFTER_FEES':
      return next(
        'SENDER',
        'SEND_MORE',
        `${safe} It does not cover the fees. Another deposit of the same token on the same chain takes it along.`,
      )
    case 'FAILED_NO_FUNDS':
      return next('NOBODY', 'NONE', 'The deposit is not (or no longer) on the chain, or was already routed.')
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

/** How money leaves that no order may move. */
const wayBackOf = ({ facts: { intent } }: Execution): string =>
  intent?.refundAddress
    ? 'Changing its target does not help; ask the operator, who can give it back to the refund address.'
    : 'Changing its target does not help; name a refund address in the intent, and ask the operator for a refund.'

/**
 * Until when a re-drive is refused, as a sentence: an order that the chain refused is void once a block after its
 * deadline is confirmed. Null when that has happened, if the chain keeps its usual pace.
 */
function stillGood({ facts: { order, spent }, deposit }: Execution, now: number): string | null {
  if (!order || spent) return null
  const { confirmations, blockSeconds } = chainOf(deposit.chainId)
  if (now > (order.deadline + confirmations * blockSeconds) * secondMs) return null
  // Not before it: the last minute is told as over when it is.
  const time = sentenceTime(Math.ceil(order.deadline / minuteSeconds) * minuteSeconds * secondMs)
  return `Its signed order expires on ${time}; it can be re-driven once a block after that is confirmed.`
}
