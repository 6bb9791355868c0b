import { type ErrorCode, RoutingError } from '../../domain/error'
import { type JsonAnswer, refusalOf } from '../http'

/**
 * Relay's error codes, https://docs.relay.link. Null means that there is no route. Only a refusal that this table lists
 * can end a deposit. An unlisted code might fail every request until the table is updated.
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
    'CHAIN_DISABLED',
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
export function relayNoRoute(answer: JsonAnswer): null {
  const said = (answer.body as { errorCode?: unknown } | null)?.errorCode
  const code = typeof said === 'string' && Object.hasOwn(codes, said) ? codes[said] : undefined
  const isPassing = answer.status === 429 || (code === 'PROVIDER_REFUSED' && answer.status >= 500)
  if (code === undefined || isPassing) throw refusalOf(answer, typeof said === 'string' ? said : undefined)
  if (code === null) return null
  throw new RoutingError(code, { cause: answer })
}

function all<Meaning>(meaning: Meaning, names: readonly string[]): Record<string, Meaning> {
  return Object.fromEntries(names.map((name) => [name, meaning]))
}
