import { formatUnits } from '@switchyard/client'
import type { CardDeposit, DepositState } from './contract.js'
import type { Problem } from './feed.js'

type Arrival = { amount: string; chain: string }
type Source = { token: string; chain: string }

/** Every text of the card. Pass your own as `words`, for another language or tone. */
export const defaultWords = {
  title: 'Deposit',
  loading: 'Loading your address…',
  lead: 'Send a token below to your address, on the network that you choose here. The address is yours alone and stays the same.',
  arrivesAs: (token: string, chain: string) => `It arrives as ${token} on ${chain}.`,
  network: 'Network',
  onlyOn: (chain: string) => `Send on ${chain} only what is listed below.`,
  qr: 'Your address as a QR code',
  qrFor: 'QR code for',
  anyWallet: 'any wallet',
  qrOf: (token: string, chain: string) => `QR code that sends ${token} on ${chain} by a wallet`,
  copy: 'Copy the address',
  copied: 'Copied.',
  notCopied: 'Your browser did not copy it: select the address by hand.',
  deposits: 'Your deposits',
  none: 'Waiting for your deposit.',
  tokens: 'What you can send',
  token: 'Token',
  least: 'At least',
  leastUnknown: 'unknown now',
  on: (amount: string, chain: string) => `${amount} on ${chain}`,
  depositTx: 'Deposit transaction',
  arrivalTx: 'Arrival transaction',
  refundTx: 'Refund transaction',
  reference: 'Reference',
  /** One or two words for each state. */
  states: {
    SEEN: 'Seen',
    WAITING: 'Waiting',
    ON_ITS_WAY: 'On its way',
    DELIVERED: 'Arrived',
    REFUNDED: 'Refunded',
    NEEDS_ATTENTION: 'Needs attention',
  } as Record<DepositState, string>,
  arrived: ({ amount, chain }: Arrival) => `${amount} arrived on ${chain}.`,
  arrivedAlong: ({ chain }: Arrival) => `It arrived on ${chain} together with another deposit.`,
  refunded: ({ amount, chain }: Arrival) => `It was not delivered. ${amount} was refunded on ${chain}.`,
  along: 'It continues together with another deposit.',
  confirmations: (has: number, needs: number) => `It has ${has} of ${needs} confirmations.`,
  dropped: 'The network dropped it. Do not send again yet: it might still be included.',
  /** Why a deposit waits, by its stage. */
  stages: {
    WAITING_FOR_INTENT: 'Its destination is not set yet.',
    QUEUED: 'It follows an earlier deposit of the same token.',
    PAUSED: 'Deliveries are paused for the moment.',
    ROUTING: 'It is confirmed, and a route is being chosen.',
  } as Record<string, string>,
  /** Why a deposit is where it is, by the status of its execution. */
  statuses: {
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
  } as Record<string, string>,
  /** For a stage or a status that is newer than this package. */
  unknown: 'It is being checked.',
  /** Where the money is, by its holder. */
  holders: {
    SENDER: () => 'The money is with the sender.',
    DEPOSIT_ACCOUNT: ({ chain }: Source) => `The money is safe at your address on ${chain}.`,
    PROVIDER: () => 'The money has left your address and is being delivered.',
  } as Record<string, (source: Source) => string>,
  /** Who acts next. */
  actors: {
    SERVICE: 'It continues automatically.',
    PROVIDER: 'It continues automatically.',
    INTEGRATOR: 'We act next. You need not do anything.',
    OPERATOR: 'Our payment service acts next. You need not do anything.',
  } as Record<string, string>,
  sendMore: ({ token, chain }: Source) => `Send more ${token} on ${chain} to your address: both continue together.`,
  problems: {
    OFFLINE: 'You are offline.',
    SIGNED_OUT: 'Sign in again.',
    UNAVAILABLE: 'The newest state cannot be read.',
  } as Record<Problem, string>,
  staleSince: (time: string) => `Not up to date since ${time}.`,
  neverRead: 'Your address appears as soon as it can be read.',
  retrying: 'This page tries again automatically.',
}
export type Words = typeof defaultWords

/** Returns the sentences about a deposit: its reason, where the money is, and who acts next. */
export function sentencesOf(deposit: CardDeposit, words: Words): string {
  const { state, isTakenAlong, amountOut, toTokenDecimals, toTokenSymbol, toChainName } = deposit
  const arrival = {
    amount: amountText(amountOut ?? '0', toTokenDecimals, toTokenSymbol ?? ''),
    chain: toChainName ?? '',
  }
  // The amount of the other deposit includes this one, so it appears there only.
  if (state === 'DELIVERED') return isTakenAlong ? words.arrivedAlong(arrival) : words.arrived(arrival)
  if (state === 'REFUNDED') return words.refunded(arrival)
  const source = { token: deposit.fromTokenSymbol, chain: deposit.fromChainName }
  const why = isTakenAlong ? words.along : reasonOf(deposit, words)
  const where = words.holders[deposit.holder]?.(source)
  const who = deposit.action === 'SEND_MORE' ? words.sendMore(source) : words.actors[deposit.actor]
  return [why, where, who].filter(Boolean).join(' ')
}

function reasonOf({ stage, state, status, ...deposit }: CardDeposit, words: Words): string {
  if (stage === 'ORPHANED') return words.dropped
  if (state === 'SEEN') return words.confirmations(deposit.confirmations, deposit.confirmationsRequired)
  return (status === null ? words.stages[stage] : words.statuses[status]) ?? words.unknown
}

/** Without decimals an amount means nothing to a person. */
export const amountText = (amount: string, decimals: number | null, symbol: string): string =>
  decimals === null ? symbol : `${formatUnits(amount, decimals)} ${symbol}`

/** Formats a minimum amount with three digits, rounded up, so the shown amount is enough. */
export function leastText(amount: string, decimals: number, symbol: string): string {
  const unit = 10n ** BigInt(Math.max(amount.length - 3, 0))
  return amountText(String(((BigInt(amount) + unit - 1n) / unit) * unit), decimals, symbol)
}
