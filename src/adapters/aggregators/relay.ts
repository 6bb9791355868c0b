import type { Address, Hash } from '../../domain/chain/hex'
import { type ErrorCode, RoutingError } from '../../domain/error'
import { type } from '../../domain/schema'
import { ListedRefusal, Unreadable } from '../../domain/unavailable'
import type { BridgeOutcome, RouteRequest } from '../../ports/gate'
import { RelayPrice, RelayQuote, RelayStatus, RelaySteps } from '../../protocols/relay/relay-answers'
import { relaySolver } from '../../protocols/relay/relay-order'
import type { Aggregator } from '../../providers/aggregator'
import type { NoteHeaders } from '../../providers/limit-headers'
import { type Fetcher, fetchJson, hasObject, type JsonAnswer, refusalOf, unknownState } from '../http'
import { relayName, relayRoute } from './relay-route'
import { parseUsd } from './units'

export type RelayConfig = {
  url: string
  apiKey: string | null
  solver?: Address
  noteHeaders?: NoteHeaders
  fetcher?: Fetcher
}

const referrer = 'switchyard'

/** Relay, https://docs.relay.link: quotes by POST /quote/v2, outcomes by GET /intents/status/v3. */
export function relay({ url, apiKey, solver = relaySolver, noteHeaders, fetcher }: RelayConfig): Aggregator<'relay'> {
  const headers: Record<string, string> = apiKey ? { 'x-api-key': apiKey } : {}
  const get = (path: string, signal: AbortSignal) =>
    fetchJson(`${url}${path}`, { headers, signal, onHeaders: noteHeaders?.('other'), fetcher })
  const post = (path: string, body: object, signal: AbortSignal) =>
    fetchJson(`${url}${path}`, {
      headers,
      signal,
      body,
      onHeaders: noteHeaders?.(path === '/quote/v2' ? 'quote' : 'other'),
      fetcher,
    })

  return {
    name: relayName,

    async quote(request, signal) {
      // For a swap on one chain Relay calls a router, and nothing in that call binds it to the recipient.
      if (request.fromChainId === request.toChainId) return null
      const answer = await post('/quote/v2', bodyOf(request), signal)
      if (answer.status !== 200) return relayNoRoute(answer)
      if (!isDeposit(answer.body)) return null
      const quote = RelayQuote(answer.body)
      if (quote instanceof type.errors) throw malformed(quote)
      return relayRoute(quote, request, solver)
    },

    async outcome({ hash, fromChainId, reference }, signal) {
      if (reference === null) return { kind: 'PENDING' }
      const answer = await get(`/intents/status/v3?requestId=${reference}`, signal)
      if (answer.status === 404 && errorCodeOf(answer) !== null) return { kind: 'PENDING' }
      if (answer.status !== 200) throw refusalOf(answer)
      const said = RelayStatus(answer.body)
      if (said instanceof type.errors) throw malformed(said)
      // Relay finds a deposit made from within a contract only after it receives the transaction's hash.
      if (said.status === 'waiting')
        await post('/transactions/index', { chainId: String(fromChainId), txHash: hash }, signal).catch(() => {})
      return outcomeOf(said, hash)
    },

    async priceUsd(chainId, token, signal) {
      const answer = await get(`/currencies/token/price?chainId=${chainId}&address=${token}`, signal)
      // Relay documents no codes for a token without a price.
      if ((answer.status === 400 || answer.status === 404) && hasObject(answer)) return null
      if (answer.status !== 200) throw refusalOf(answer)
      const read = RelayPrice(answer.body)
      if (read instanceof type.errors) throw malformed(read)
      const price = read.price ?? 0
      return price > 0 && price < 1e12 ? parseUsd(price.toFixed(12)) : null
    },
  }
}

const bodyOf = ({ policy, ...request }: RouteRequest) => ({
  user: request.account,
  recipient: request.recipient,
  refundTo: request.account,
  originChainId: request.fromChainId,
  destinationChainId: request.toChainId,
  originCurrency: request.fromToken,
  destinationCurrency: request.toToken,
  amount: String(request.amountIn),
  tradeType: 'EXACT_INPUT',
  slippageTolerance: String(policy.slippageBps),
  explicitDeposit: true,
  usePermit: false,
  useExternalLiquidity: false,
  disableOriginSwaps: true,
  // The protocol data show which order the deposit's id represents.
  includeProtocolData: true,
  referrer,
})

/**
 * Steps that Relay documents other than an approval and a deposit. They would be signed or sent, and cannot be
 * verified.
 */
const otherSteps = /^(authorize\d?|swap|send|permit|wrap|unwrap)$/
const kindsOfSteps: readonly string[] = ['transaction', 'signature']

/**
 * Whether the quote consists of one deposit and the approvals before it.
 *
 * @throws {Unreadable} if Relay does not document one of the steps, or its kind.
 */
function isDeposit(body: unknown): boolean {
  const read = RelaySteps(body)
  if (read instanceof type.errors) throw malformed(read)
  const ids = read.steps.map(({ id }) => id)
  if (ids.some((id) => id !== 'deposit' && id !== 'approve' && !otherSteps.test(id)))
    throw new Unreadable('Its quote has a step that this release does not recognise.', { cause: ids })
  const kinds = read.steps.map(({ kind }) => kind)
  if (kinds.length === 0 || kinds.some((kind) => !kindsOfSteps.includes(kind)))
    throw new Unreadable('Its quote has a kind of step that this release does not recognise, or no step.', {
      cause: kinds,
    })
  const isPlain = ids.at(-1) === 'deposit' && ids.slice(0, -1).every((id) => id === 'approve')
  return isPlain && kinds.every((kind) => kind === 'transaction')
}

/**
 * Relay's states of a deposit that has not ended. A `failure` does not return the money automatically, so it stays
 * pending until an operator acts.
 */
const pendingStates: readonly string[] = ['waiting', 'depositing', 'pending', 'submitted', 'delayed', 'failure']

/** @throws {Unreadable} if Relay does not document the state. */
function outcomeOf({ status, txHashes, inTxHashes }: typeof RelayStatus.infer, sent: Hash): BridgeOutcome {
  const out = (txHashes ?? []).map((hash) => hash.toLowerCase() as Hash)
  const hash = out.filter((each) => each !== sent && !inTxHashes?.some((one) => same(one, each))).at(-1) ?? null
  if (status === 'refund' || status === 'refunded') return { kind: 'RETURNED', hash }
  if (pendingStates.includes(status)) return { kind: 'PENDING' }
  if (status !== 'success') throw unknownState(status)
  if (hash === null) throw malformed(txHashes)
  return { kind: 'DELIVERED', hash }
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
const malformed = (cause: unknown) => new RoutingError('PROVIDER_MALFORMED', { cause })

/**
 * Relay's error codes, https://docs.relay.link. Null means that there is no route. Only a refusal that this table lists
 * can end a deposit, if Relay grants a usual request. An unlisted code might fail every request until the table is
 * updated.
 */
const codes: Record<string, ErrorCode | null> = {
  ...all(null, [
    'NO_SWAP_ROUTES_FOUND',
    'NO_INTERNAL_SWAP_ROUTES_FOUND',
    'NO_QUOTES',
    'UNSUPPORTED_ROUTE',
    'UNSUPPORTED_CURRENCY',
    'UNSUPPORTED_CHAIN',
    'INVALID_INPUT_CURRENCY',
    'INVALID_OUTPUT_CURRENCY',
    'AMOUNT_TOO_LOW',
    'INSUFFICIENT_LIQUIDITY',
    'SWAP_IMPACT_TOO_HIGH',
    'SANCTIONED_CURRENCY',
    'SANCTIONED_WALLET_ADDRESS',
    'INVALID_RECIPIENT',
    'UNSUPPORTED_EXECUTION_TYPE',
    'USER_RECIPIENT_MISMATCH', // a kind of swap that can pay only the payer
  ]),
  ...all('PROVIDER_FAILED', [
    'PRICE_FETCH_FAILED',
    'SERVICE_UNAVAILABLE',
    'REQUEST_TIMED_OUT',
    'RPC_HTTP_ERROR',
    'ROUTE_TEMPORARILY_RESTRICTED',
    'CHAIN_DISABLED', // a halt, unlike UNSUPPORTED_CHAIN
    'SWAP_QUOTE_FAILED',
    'UNKNOWN_ERROR',
    'DESTINATION_TX_FAILED',
    'ERC20_ROUTER_ADDRESS_NOT_FOUND',
  ]),
  ...all('PROVIDER_REFUSED', [
    'INVALID_ADDRESS',
    'INVALID_SLIPPAGE_TOLERANCE',
    'INVALID_EXTRA_TXS',
    'EXTRA_TXS_NOT_SUPPORTED',
    'INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS',
    'PERMIT_FAILED',
    'INSUFFICIENT_FUNDS',
  ]),
  ...all('PROVIDER_UNAUTHORIZED', ['UNAUTHORIZED', 'FORBIDDEN']),
}

/**
 * @returns Null if there is no route.
 * @throws {RoutingError} A PROVIDER_ code, in all other cases.
 */
function relayNoRoute(answer: JsonAnswer): null {
  const said = errorCodeOf(answer)
  const code = said !== null && Object.hasOwn(codes, said) ? codes[said] : undefined
  const isPassing = answer.status === 429 || (code === 'PROVIDER_REFUSED' && answer.status >= 500)
  if (code === undefined || isPassing) throw refusalOf(answer, said ?? undefined)
  if (code === null) return null
  throw code === 'PROVIDER_REFUSED'
    ? new ListedRefusal(said!, { cause: answer })
    : new RoutingError(code, { cause: answer })
}

function errorCodeOf({ body }: JsonAnswer): string | null {
  const said = (body as { errorCode?: unknown } | null)?.errorCode
  return typeof said === 'string' ? said : null
}

function all<Meaning>(meaning: Meaning, names: readonly string[]): Record<string, Meaning> {
  return Object.fromEntries(names.map((name) => [name, meaning]))
}
