import { getAddress } from 'viem/utils'
import { type ChainId, chainOf, chains } from '../../domain/chain/chain'
import { type Address, type Hex, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { DelayReason } from '../../domain/execution/execution'
import type { ProviderKey } from '../../domain/execution/provider'
import type { Offer } from '../../domain/execution/route'
import { type } from '../../domain/schema'
import { Unreadable } from '../../domain/unavailable'
import type { RouteRequest } from '../../ports/gate'
import { CctpAllowance, CctpAttested, CctpFees, CctpMessage, CctpMessages } from '../../protocols/cctp/answers'
import {
  type Burn,
  depositForBurn,
  domainOf,
  finality,
  leavesFast,
  messageTransmitter,
  readDepositForBurn,
  tokenMessenger,
  wordOf,
} from '../../protocols/cctp/burn'
import { isMessageOf, readMessage } from '../../protocols/cctp/message'
import { receiveMessage } from '../../protocols/cctp/mint'
import { usdcOf } from '../../protocols/lifi/diamond'
import type { Aggregator } from '../../providers/aggregator'
import type { NoteHeaders } from '../../providers/limit-headers'
import { type Fetcher, fetchJson, hasObject, refusalOf, unknownState } from '../http'

export type CctpConfig = { url: string; noteHeaders?: NoteHeaders; fetcher?: Fetcher }

const provider = 'cctp' satisfies ProviderKey
/**
 * Most that one call can burn, in atomic units. Circle's TokenMinters set this limit. Source: developers.circle.com,
 * "Transfer limits".
 */
const amountMax = 10_000_000_000_000n
const oneUsdc = 1_000_000n

/**
 * Circle's CCTP v2, https://developers.circle.com/cctp. USDC is burned on one chain, and anyone with Circle's
 * attestation can mint it on another. Fees come from GET /v2/burn/USDC/fees, attestations from GET /v2/messages. No API
 * key is needed.
 */
export function cctp({ url, noteHeaders, fetcher }: CctpConfig): Aggregator<'cctp'> {
  const get = (path: string, kind: 'quote' | 'other', signal: AbortSignal) =>
    fetchJson(`${url}${path}`, { signal, onHeaders: noteHeaders?.(kind), fetcher })

  async function feesOf({ fromChainId, toChainId }: RouteRequest, signal: AbortSignal): Promise<CctpFees> {
    const path = `/v2/burn/USDC/fees/${domainOf(fromChainId)}/${domainOf(toChainId)}`
    const answer = await get(path, 'quote', signal)
    if (answer.status !== 200) throw refusalOf(answer)
    const fees = CctpFees(answer.body)
    if (fees instanceof type.errors) throw malformed(fees)
    const isListed = fees.some(({ finalityThreshold }) => Object.values<number>(finality).includes(finalityThreshold))
    if (fees.length > 0 && !isListed)
      throw new Unreadable('Its fees name a finality that this release does not recognise.')
    return fees
  }

  /** Returns how much Circle currently mints before the burn is final, in atomic units. */
  async function allowance(signal: AbortSignal): Promise<bigint> {
    const answer = await get('/v2/fastBurn/USDC/allowance', 'quote', signal)
    if (answer.status !== 200) throw refusalOf(answer)
    const read = CctpAllowance(answer.body)
    if (read instanceof type.errors) throw malformed(read)
    return BigInt(Math.floor(read.allowance)) * oneUsdc
  }

  return {
    name: provider,

    async quote(request, signal) {
      if (!isBurnable(request)) return null
      const wanted = speedOf(request)
      const fees = await feesOf(request, signal)
      const offered = routeOf(request, wanted, fees)
      // A burn that Circle would not mint early waits until it is final, and takes as long as a standard transfer.
      if (wanted === 'fast' && (offered === null || (await allowance(signal)) < request.amountIn))
        return routeOf(request, 'standard', fees)
      return offered
    },

    async outcome({ hash, fromChainId, toChainId, account, call, expired }, signal) {
      const burn = call ? readDepositForBurn(call) : null
      if (!burn || !account) return { kind: 'PENDING' }
      const answer = await get(`/v2/messages/${domainOf(fromChainId)}?transactionHash=${hash}`, 'other', signal)
      // Circle has not seen the burn yet.
      if (answer.status === 404 && hasObject(answer)) return { kind: 'PENDING' }
      if (answer.status !== 200) throw refusalOf(answer)
      const said = CctpMessages(answer.body)
      if (said instanceof type.errors) throw malformed(said)
      const { ours, delayedBy } = judge(said.messages, burn, { account, chainId: fromChainId })
      if (!ours) {
        if (!delayedBy) return { kind: 'PENDING' }
        const expectedSeconds = secondsOf({ fromChainId, toChainId }, 'standard')
        return { kind: 'PENDING', delay: { reason: delayedBy, expectedSeconds } }
      }
      if (ours.data !== expired) return { kind: 'ATTESTED', mint: ours }
      // Circle re-attests the message with the same nonce. If this request fails, the next poll repeats it.
      const path = `/v2/reattest/${ours.nonce}`
      await fetchJson(`${url}${path}`, { signal, body: {}, onHeaders: noteHeaders?.('other'), fetcher }).catch(() => {})
      return { kind: 'PENDING' }
    },

    /** Circle's API has no prices. */
    priceUsd: async () => null,
  }
}

/** Whether both tokens are Circle's own USDC, on different chains, and one call can burn the amount. */
export const isBurnable = ({ fromChainId, fromToken, toChainId, toToken, amountIn }: RouteRequest): boolean =>
  fromChainId !== toChainId &&
  sameAddress(fromToken, usdcOf(fromChainId)) &&
  sameAddress(toToken, usdcOf(toChainId)) &&
  amountIn <= amountMax

/** Returns the route of a transfer at a speed, or null if its fee is missing or exceeds the policy. */
function routeOf(request: RouteRequest, speed: Speed, fees: CctpFees): Offer | null {
  const { toChainId, fromToken, amountIn, recipient } = request
  const terms = termsOf(
    request,
    fees.find(({ finalityThreshold }) => finalityThreshold === finality[speed]),
  )
  if (!terms) return null
  const burn: Burn = {
    amount: amountIn,
    destinationDomain: domainOf(toChainId),
    mintRecipient: wordOf(recipient),
    burnToken: getAddress(fromToken),
    // Anyone may mint, so delivery never depends on us alone.
    destinationCaller: wordOf(zeroAddress),
    maxFee: terms.maxFee,
    minFinalityThreshold: finality[speed],
  }
  return {
    provider,
    kind: 'BRIDGE',
    amountIn: String(amountIn),
    amountOutExpected: String(amountIn - terms.fee),
    amountOutMin: String(amountIn - terms.maxFee),
    expectedSeconds: secondsOf(request, speed),
    hops: 1,
    slippageBps: terms.slippageBps,
    call: { target: tokenMessenger, spender: tokenMessenger, data: depositForBurn(burn), nativeFee: '0' },
    reference: null,
  }
}

/** Circle's reasons why a fast transfer takes as long as a standard one, mapped to ours. */
const delayReasons = new Map<unknown, DelayReason>([
  ['insufficient_fee', 'FEE_TOO_LOW'],
  ['amount_above_max', 'AMOUNT_TOO_LARGE'],
  ['insufficient_allowance_available', 'ALLOWANCE_USED_UP'],
])

/**
 * Judges each message of a transaction separately. `ours` is the mint of our burn, null until it is attested. A waiting
 * message does not show whose it is, so `delayedBy` is set only if every waiting message is delayed.
 *
 * @throws {RoutingError} PROVIDER_MALFORMED if no message is ours, none waits, and at least one cannot be read.
 */
function judge(messages: readonly unknown[], burn: Burn, from: { account: Address; chainId: ChainId }) {
  const waiting: (DelayReason | null)[] = []
  let unreadable: unknown = null
  for (const each of messages) {
    const said = CctpMessage(each)
    if (said instanceof type.errors) {
      unreadable ??= said
      continue
    }
    if (said.status === 'pending_confirmations') {
      waiting.push(delayOf(said.delayReason))
      continue
    }
    if (said.status !== 'complete') {
      unreadable ??= unknownState(said.status)
      continue
    }
    const attested = CctpAttested({ message: said.message, attestation: said.attestation })
    if (attested instanceof type.errors) {
      unreadable ??= attested
      continue
    }
    const read = readMessage(attested.message)
    if (!read || !isMessageOf(read, burn, from)) continue
    const data = receiveMessage(attested.message, attested.attestation).toLowerCase() as Hex
    return { ours: { target: messageTransmitter, data, nonce: read.nonce }, delayedBy: null }
  }
  if (unreadable && waiting.length === 0) throw unreadable instanceof Unreadable ? unreadable : malformed(unreadable)
  return { ours: null, delayedBy: waiting.every((reason) => reason !== null) ? (waiting[0] ?? null) : null }
}

/** An unlisted reason still means that the transfer is delayed. */
const delayOf = (said: unknown): DelayReason | null =>
  said === undefined || said === null || said === '' ? null : (delayReasons.get(said) ?? 'OTHER')

const malformed = (cause: unknown) => new RoutingError('PROVIDER_MALFORMED', { cause })

/** When Circle attests a burn: `fast` before the burn is final, for a fee, or `standard` once it is final. */
type Speed = keyof typeof finality

const minute = 60
/**
 * Returns the seconds within which Circle attests a burn on a usual day. Source: developers.circle.com, "Finality and
 * block confirmations". Fast transfers take 8 seconds, and 20 on Ethereum. Standard transfers take 8 seconds on chains
 * with instant finality, and 13 to 19 minutes on Ethereum. A rollup's batch reaches Ethereum up to 15 minutes later.
 */
function attestedAfter(chainId: ChainId, speed: Speed): number {
  const isEthereum = chainId === chains.ethereum.id
  if (speed === 'fast' || !leavesFast(chainId)) return isEthereum ? 20 : 8
  return isEthereum ? 19 * minute : (19 + 15) * minute
}

const confirmedAfter = (chainId: ChainId): number => {
  const { confirmations, blockSeconds } = chainOf(chainId)
  return confirmations * blockSeconds
}

type Between = Pick<RouteRequest, 'fromChainId' | 'toChainId'>

/**
 * Returns the seconds from the burn to the confirmed mint. Our own confirmation of the burn runs during Circle's wait.
 */
function secondsOf({ fromChainId, toChainId }: Between, speed: Speed): number {
  const attested = Math.max(attestedAfter(fromChainId, speed), confirmedAfter(fromChainId))
  return Math.ceil(attested + chainOf(toChainId).blockSeconds + confirmedAfter(toChainId))
}

/**
 * Returns `standard`, which is cheaper, unless it takes longer than the policy allows and a fast transfer is possible.
 */
const speedOf = (request: RouteRequest): Speed =>
  leavesFast(request.fromChainId) && secondsOf(request, 'standard') > request.policy.maxDurationSeconds
    ? 'fast'
    : 'standard'

const bps = 10_000n
const perBps = 1_000_000n
/** Circle advises 10 to 20 percent above the current fee ("CCTP Fees", "Maximum fee parameter"). */
const marginPercent = 20n

/**
 * Returns the current fee and the most that Circle may keep. The margin covers a fee that rises before the burn, and
 * Circle keeps it only in that case. If the maximum is below the fee, Circle treats a fast burn as a standard burn, and
 * a standard burn reverts. `maxFee` never exceeds the policy's slippage or its minimum output. Returns null if the
 * current fee exceeds them or is missing.
 */
export function termsOf(
  { amountIn, policy }: Pick<RouteRequest, 'amountIn' | 'policy'>,
  said: CctpFees[number] | undefined,
): { fee: bigint; maxFee: bigint; slippageBps: number } | null {
  if (!said) return null
  const fee = upOf(amountIn * BigInt(Math.round(said.minimumFee * Number(perBps))), bps * perBps)
  const expected = amountIn - fee
  const leastOut = upOf(amountIn * BigInt(policy.minOutputBps), bps)
  const mostBySlippage = fee + (expected * BigInt(policy.slippageBps)) / bps
  const most = [amountIn - leastOut, mostBySlippage, amountIn - 1n].reduce((one, other) => (one < other ? one : other))
  if (fee > most) return null
  const wanted = fee + upOf(fee * marginPercent, 100n)
  const maxFee = wanted < most ? wanted : most
  return { fee, maxFee, slippageBps: Number(((maxFee - fee) * bps) / expected) }
}

/** Divides, rounding up. */
const upOf = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
