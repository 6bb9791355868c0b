import { getAddress } from 'viem/utils'
import { type Address, type Hash, type Hex, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { type ErrorCode, RoutingError } from '../../domain/error'
import type { ProviderKey } from '../../domain/execution/provider'
import type { Offer } from '../../domain/execution/route'
import { isNative } from '../../domain/money/token'
import { type } from '../../domain/schema'
import { ListedRefusal, Unreadable } from '../../domain/unavailable'
import type { BridgeOutcome, RouteRequest } from '../../ports/gate'
import { LifiPrice, LifiQuote, LifiSide, LifiStatus, lifiCodes } from '../../protocols/lifi/lifi-answers'
import type { Aggregator } from '../../providers/aggregator'
import type { NoteHeaders } from '../../providers/limit-headers'
import { type Fetcher, fetchJson, type JsonAnswer, refusalOf, unknownState } from '../http'
import { parseUsd } from './units'

export type LifiConfig = {
  url: string
  apiKey: string | null
  /** Bridges that may be used, as LI.FI's keys. Only bridges whose calldata can be verified before signing. */
  bridges: readonly string[]
  noteHeaders?: NoteHeaders
  fetcher?: Fetcher
}

const provider = 'lifi' satisfies ProviderKey
const integrator = 'switchyard'

/** LI.FI, https://docs.li.fi: quotes by GET /quote, outcomes by GET /status, prices by GET /token. */
export function lifi({ url, apiKey, bridges, noteHeaders, fetcher }: LifiConfig): Aggregator<'lifi'> {
  const headers: Record<string, string> = apiKey ? { 'x-lifi-api-key': apiKey } : {}
  const get = (path: string, query: Record<string, string>, signal: AbortSignal) =>
    fetchJson(`${url}${path}?${new URLSearchParams(query)}`, {
      headers,
      signal,
      onHeaders: noteHeaders?.(path === '/quote' ? 'quote' : 'other'),
      fetcher,
    })

  return {
    name: provider,

    async quote(request, signal) {
      const answer = await get('/quote', queryOf(request, bridges), signal)
      if (answer.status !== 200) return lifiNoRoute(answer)
      const quote = LifiQuote(answer.body)
      if (quote instanceof type.errors) throw malformed(quote)
      return routeOf(quote, request)
    },

    async outcome({ hash, fromChainId, toChainId, call, isAlone }, signal) {
      // The bridge's name is left out, because with a wrong name LI.FI would answer INVALID permanently.
      const statusOf = async (txHash: Hash): Promise<LifiAnswer | null> => {
        const query = { txHash, fromChain: String(fromChainId), toChain: String(toChainId) }
        const answer = await get('/status', query, signal)
        if (answer.status === 404 && typeof lifiCodeIn(answer) === 'number') return null
        if (answer.status !== 200) throw refusalOf(answer)
        return answer
      }
      const ofAll = await statusOf(hash)
      const said = call && !isAlone ? await ofTransfer(transferIdOf(call), hash, ofAll, statusOf) : ofAll
      return said ? outcomeOf(said, hash, toChainId) : { kind: 'PENDING' }
    },

    async priceUsd(chainId, token, signal) {
      const answer = await get('/token', { chain: String(chainId), token }, signal)
      const code = lifiCodeIn(answer)
      if (code === lifiCodes.VALIDATION || (answer.status === 404 && typeof code === 'number')) return null
      if (answer.status !== 200) throw refusalOf(answer)
      const price = LifiPrice(answer.body)
      if (price instanceof type.errors) throw malformed(price)
      return parseUsd(price.priceUSD)
    },
  }
}

function queryOf({ policy, ...request }: RouteRequest, bridges: readonly string[]): Record<string, string> {
  return {
    fromChain: String(request.fromChainId),
    toChain: String(request.toChainId),
    fromToken: request.fromToken,
    toToken: request.toToken,
    fromAddress: request.account,
    toAddress: request.recipient,
    fromAmount: String(request.amountIn),
    slippage: fractionOf(policy.slippageBps),
    integrator,
    // Routes that cannot be verified before signing are not requested: swaps before a bridge, and calls after it.
    allowDestinationCall: 'false',
    ...(request.fromChainId !== request.toChainId && { allowExchanges: 'none', allowBridges: bridges.join() }),
    skipSimulation: 'true', // the account might not be deployed yet
  }
}

const fractionOf = (bps: number): string => `${Math.floor(bps / 10_000)}.${String(bps % 10_000).padStart(4, '0')}`

function routeOf(quote: LifiQuote, request: RouteRequest): Offer {
  const { action, estimate, transactionRequest: call } = quote
  const native = isNative(request.fromToken)
  const nativeFee = call.value - (native ? request.amountIn : 0n)
  const matchesRequest =
    isSame(action.fromToken, request.fromChainId, request.fromToken) &&
    isSame(action.toToken, request.toChainId, request.toToken) &&
    sameAddress(action.fromAddress, request.account) &&
    sameAddress(action.toAddress, request.recipient) &&
    action.fromAmount === request.amountIn &&
    estimate.fromAmount === request.amountIn &&
    (call.chainId ?? request.fromChainId) === request.fromChainId
  const isSound = estimate.toAmountMin > 0n && estimate.toAmountMin <= estimate.toAmount && nativeFee >= 0n
  if (!matchesRequest || !isSound || (!native && !estimate.approvalAddress)) throw malformed(quote)
  return {
    provider,
    kind: request.fromChainId === request.toChainId ? 'SWAP' : 'BRIDGE',
    amountIn: String(request.amountIn),
    amountOutExpected: String(estimate.toAmount),
    amountOutMin: String(estimate.toAmountMin),
    expectedSeconds: Math.ceil(estimate.executionDuration),
    hops: Math.max(1, (quote.includedSteps ?? []).filter((step) => step.type !== 'protocol').length),
    slippageBps: action.slippage === undefined ? request.policy.slippageBps : Math.round(action.slippage * 10_000),
    call: {
      target: getAddress(call.to),
      spender: native ? zeroAddress : getAddress(estimate.approvalAddress!),
      data: call.data.toLowerCase() as Hex,
      nativeFee: String(nativeFee),
    },
    reference: quote.tool,
  }
}

/**
 * Returns the id of a transfer from the call of a bridge, whose first argument begins with it. Null if there is none.
 */
function transferIdOf(call: Hex): Hash | null {
  const words = call.slice('0x'.length + 8)
  const place = Number.parseInt(words.slice(0, 64), 16) * 2
  const id = words.slice(place, place + 64)
  return id.length === 64 ? `0x${id.toLowerCase()}` : null
}

type LifiAnswer = { body: unknown }

/**
 * Returns LI.FI's status of one transfer in a transaction that carries several, or null if no status is certainly ours.
 * The status of the transaction could describe any transfer in it, unless it names ours. An id is public calldata that
 * anyone may reuse, so the status of an id must also name our transaction.
 */
async function ofTransfer(
  id: Hash | null,
  hash: Hash,
  ofAll: LifiAnswer | null,
  statusOf: (id: Hash) => Promise<LifiAnswer | null>,
): Promise<LifiAnswer | null> {
  if (id === null) return null
  if (ofAll && isSameHash(read(ofAll).transactionId, id)) return ofAll
  const ofId = await statusOf(id)
  if (!ofId) return null
  const { transactionId, sending } = read(ofId)
  const sent = LifiSide(sending)
  const isOurs = !(sent instanceof type.errors) && isSameHash(sent.txHash, hash)
  return isOurs && isSameHash(transactionId, id) ? ofId : null
}

function read({ body }: LifiAnswer): typeof LifiStatus.infer {
  const answer = LifiStatus(body)
  if (answer instanceof type.errors) throw malformed(answer)
  return answer
}

const isSameHash = (one: unknown, other: Hash): boolean =>
  typeof one === 'string' && one.toLowerCase() === other.toLowerCase()

/** LI.FI's states of a transfer that has not ended. A failed transfer stays pending until an operator acts. */
const pendingStates: readonly string[] = ['NOT_FOUND', 'INVALID', 'PENDING', 'FAILED']

/**
 * DONE alone is not a success, because refunds and deliveries of another token are DONE too.
 *
 * @throws {Unreadable} if LI.FI does not document the state.
 */
function outcomeOf(said: LifiAnswer, sent: Hash, toChainId: number): BridgeOutcome {
  const answer = read(said)
  if (pendingStates.includes(answer.status)) return { kind: 'PENDING' }
  if (answer.status !== 'DONE') throw unknownState(answer.status)
  const received = LifiSide(answer.receiving)
  const named = received instanceof type.errors ? null : (received.txHash.toLowerCase() as Hash)
  // LI.FI is inconsistent about the chain of a refund, so the chain itself must show where the money came back.
  if (answer.substatus === 'REFUNDED') return { kind: 'RETURNED', hash: named === sent.toLowerCase() ? null : named }
  const kind = ({ COMPLETED: 'DELIVERED', PARTIAL: 'DELIVERED_OTHERWISE' } as const)[answer.substatus ?? '']
  if (!kind) throw unknownState(answer.substatus ?? answer.status)
  if (received instanceof type.errors || (received.chainId ?? toChainId) !== toChainId) throw malformed(received)
  return { kind, hash: named! }
}

const isSame = (asset: { address: Address; chainId: number }, chainId: number, address: Address) =>
  asset.chainId === chainId && sameAddress(asset.address, address)

const malformed = (cause: unknown) => new RoutingError('PROVIDER_MALFORMED', { cause })

/** LI.FI's error codes. Only a refusal that this table lists can end a deposit, if LI.FI grants a usual request. */
const codes: Record<number, ErrorCode> = {
  1001: 'PROVIDER_FAILED', // the transaction could not be built
  1005: 'PROVIDER_RATE_LIMITED',
  1006: 'PROVIDER_FAILED',
  1007: 'PROVIDER_FAILED', // slippage
  1008: 'PROVIDER_FAILED', // a third party failed
  1009: 'PROVIDER_TIMEOUT',
  1011: 'PROVIDER_REFUSED', // the request is invalid
  1012: 'PROVIDER_FAILED', // a node failed
}

/** Codes of a tool that certainly has no route. Any other code may be transient, documented or not. */
const finalTools = [
  'NO_POSSIBLE_ROUTE',
  'INSUFFICIENT_LIQUIDITY',
  'AMOUNT_TOO_LOW',
  'AMOUNT_TOO_HIGH',
  'FEES_HIGHER_THAN_AMOUNT',
  'FEES_HGHER_THAN_AMOUNT', // both spellings are in use
  'DIFFERENT_RECIPIENT_NOT_SUPPORTED',
  'CANNOT_GUARANTEE_MIN_AMOUNT',
]

/**
 * @returns Null if there is no route and every tool failed with one of `finalTools`.
 * @throws {RoutingError} A PROVIDER_ code, in all other cases.
 */
function lifiNoRoute(answer: JsonAnswer): null {
  const code = lifiCodeIn(answer)
  if (answer.status === 404 && code === lifiCodes.NOT_FOUND) return null
  if (answer.status === 404 && code === lifiCodes.NO_QUOTE) {
    const tools = toolCodesOf((answer.body as { errors?: unknown }).errors)
    if (tools.every((tool) => tool !== null && finalTools.includes(tool))) return null
    if (tools.some((tool) => tool !== null && !finalTools.includes(tool)))
      throw new RoutingError('PROVIDER_FAILED', { cause: answer })
    throw new Unreadable('It has no route for reasons that this release does not recognise.', { cause: answer })
  }
  if (answer.status === 409 || answer.status === 424) throw new RoutingError('PROVIDER_FAILED', { cause: answer })
  const listed = typeof code === 'number' ? codes[code] : undefined
  if (listed === 'PROVIDER_REFUSED' && answer.status < 500) throw new ListedRefusal(String(code), { cause: answer })
  throw listed && listed !== 'PROVIDER_REFUSED'
    ? new RoutingError(listed, { cause: answer })
    : refusalOf(answer, typeof code === 'number' ? code : undefined)
}

const lifiCodeIn = ({ body }: JsonAnswer): unknown => (body as { code?: unknown } | null)?.code

/**
 * Returns the code of each tool's error; null for an error whose code cannot be read. LI.FI documents two shapes: a
 * list of errors, and lists of them by path, beside the paths that it left out.
 */
function toolCodesOf(errors: unknown): (string | null)[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object' || Array.isArray(errors)) return codesWithin(errors)
  const { filteredOut: _, ...failed } = errors as { filteredOut?: unknown }
  return Object.values(failed).flatMap((each) => codesWithin(each))
}

function codesWithin(error: unknown, depth = 0): (string | null)[] {
  if (typeof error !== 'object' || error === null || depth > 6) return [null]
  if (Array.isArray(error)) return error.flatMap((each) => codesWithin(each, depth + 1))
  const { code } = error as { code?: unknown }
  const inner = Object.values(error).filter((each) => typeof each === 'object' && each !== null)
  const codes = inner.flatMap((each) => codesWithin(each, depth + 1))
  if (typeof code === 'string') return [code, ...codes.filter((each) => each !== null)]
  return inner.length === 0 || code !== undefined ? [null, ...codes] : codes
}
