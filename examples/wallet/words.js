/** One or two words for each state. */
export const heads = {
  SEEN: 'Seen',
  WAITING: 'Waiting',
  ON_ITS_WAY: 'On its way',
  DELIVERED: 'Arrived',
  REFUNDED: 'Given back',
  NEEDS_ATTENTION: 'Needs attention',
}

/** Why a deposit is where it is, for each status of the API. A newer status gets the general sentence. */
const reasons = {
  PENDING: 'Its transfer is about to be sent.',
  RUNNING: 'Its transfer is sent.',
  FAILED: 'An attempt failed. The next one starts automatically.',
  SUCCESS: '',
  DEAD_LETTER: 'It could not be delivered.',
  TOKEN_BLACKLISTED: 'This token or its sender is on a security list.',
  FAILED_UNROUTABLE_MAIN: 'This token cannot be exchanged for the target at the moment.',
  FAILED_INVALID_INPUT: 'This token cannot be delivered.',
  FAILED_NO_FUNDS: 'The transfer brought no money to your address.',
  FAILED_INSUFFICIENT_AFTER_FEES: 'It does not cover the fees.',
  QUOTA_EXCEEDED: 'We have reached our limit of deposits for this month.',
}
const waits = {
  WAITING_FOR_INTENT: 'Its destination is not set yet.',
  QUEUED: 'It follows an earlier deposit of the same token.',
  PAUSED: 'Deliveries are paused for the moment.',
}
const unknown = 'It is being checked.'

const actors = {
  SERVICE: 'It continues automatically.',
  PROVIDER: 'It continues automatically.',
  INTEGRATOR: 'We act next. You need not do anything.',
  OPERATOR: 'Our payment service acts next. You need not do anything.',
}

function placeOf({ holder, fromChainName }) {
  if (holder === 'SENDER') return 'The money is with the sender.'
  if (holder === 'DEPOSIT_ACCOUNT') return `The money is safe at your address on ${fromChainName}.`
  return holder === 'PROVIDER' ? 'The money has left your address and is being delivered.' : ''
}

function nextStepOf({ action, actor, fromTokenSymbol, fromChainName }) {
  if (action === 'SEND_MORE')
    return `Send more ${fromTokenSymbol} on ${fromChainName} to your address: both continue together.`
  return actors[actor] ?? ''
}

function reasonOf({ stage, state, status, confirmations, confirmationsRequired }) {
  if (stage === 'ORPHANED') return 'The network dropped it. Do not send again yet: it might still be included.'
  if (state === 'SEEN') return `It has ${confirmations} of ${confirmationsRequired} confirmations.`
  if (status !== null) return reasons[status] ?? unknown
  return waits[stage] ?? 'It is confirmed, and a route is being chosen.'
}

/**
 * Returns what to say about a deposit: why, where the money is, and who acts next.
 *
 * @param written Writes an amount in atomic units with its decimals and symbol.
 */
export function sentencesOf(deposit, written) {
  const { state, isTakenAlong, amountOut, toTokenDecimals, toTokenSymbol, toChainName } = deposit
  const amount = amountOut === null ? '' : written(amountOut, toTokenDecimals, toTokenSymbol)
  // The amount of the other deposit includes this one, so it appears there only.
  if (state === 'DELIVERED' && isTakenAlong) return `It arrived on ${toChainName} together with another deposit.`
  if (state === 'DELIVERED') return `${amount} arrived on ${toChainName}.`
  if (state === 'REFUNDED') return `It was not delivered. ${amount} was given back on ${toChainName}.`
  const along = isTakenAlong ? 'It continues together with another deposit.' : reasonOf(deposit)
  return [along, placeOf(deposit), nextStepOf(deposit)].filter(Boolean).join(' ')
}

/** Formats an amount in atomic units without a loss. Without decimals it means nothing to a person. */
export function written(amount, decimals, symbol) {
  if (decimals === null) return symbol
  const digits = amount.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${digits.slice(0, point)}${fraction && `.${fraction}`} ${symbol}`
}

/** Formats a least amount with three digits, rounded up, so that sending it is enough. */
export function writtenLeast(amount, decimals, symbol) {
  const unit = 10n ** BigInt(Math.max(amount.length - 3, 0))
  return written(String(((BigInt(amount) + unit - 1n) / unit) * unit), decimals, symbol)
}

export const problems = {
  OFFLINE: 'You are offline.',
  SIGNED_OUT: 'Sign in again.',
  UNAVAILABLE: 'The newest state cannot be read.',
}
export const noteOf = (problem, readAt, timeOf) =>
  `${problems[problem]} ${readAt === null ? 'Your address appears as soon as it can be read.' : `Not up to date since ${timeOf(readAt)}.`} Your money is safe, and this page tries again automatically.`
