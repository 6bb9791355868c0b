import { failureBody, publicCode, type RefusalCode, refusals } from '../request/failure'
import { targetRefusals } from '../routes/check-target'
import type { Json } from './json'
import { headersOf } from './openapi-headers'
import type { OperationDocs } from './operation-docs'

type Hooks = { body?: unknown; params?: unknown }

const always: RefusalCode[] = ['INTERNAL_ERROR', 'STORE_UNAVAILABLE']
const ofKeys: RefusalCode[] = [
  ...(['MISSING_API_KEY', 'INVALID_API_KEY', 'API_KEY_EXPIRED'] as const),
  ...(['INSUFFICIENT_PERMISSIONS', 'ADDRESS_NOT_ALLOWED', 'RATE_LIMITED'] as const),
]
const ofBodies: RefusalCode[] = ['VALIDATION_FAILED', 'MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const ofMutations: RefusalCode[] = ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_FLIGHT']

/** The refusals that several operations share, by their names in the document. */
export const refusalComponents: Map<string, Json> = new Map()
/** A response with more codes than this is not shared. */
const sharedMax = 3

/** Short names of responses that many operations refer to, by their codes. */
const shortNames: Record<string, string> = {
  'MISSING_API_KEY,INVALID_API_KEY,API_KEY_EXPIRED': 'Unauthorized',
  'INSUFFICIENT_PERMISSIONS,ADDRESS_NOT_ALLOWED': 'Forbidden',
  STORE_UNAVAILABLE: 'Unavailable',
  'VALIDATION_FAILED,UNKNOWN_PARAMETER': 'InvalidQuery',
  'VALIDATION_FAILED,INVALID_CURSOR,UNKNOWN_PARAMETER': 'InvalidList',
  'VALIDATION_FAILED,MALFORMED_BODY,INVALID_IDEMPOTENCY_KEY': 'InvalidMutation',
  'IDEMPOTENCY_KEY_REUSED,IDEMPOTENCY_KEY_IN_FLIGHT': 'KeyInUse',
}

const bothKeys = 'IdempotencyKeyReusedOrIdempotencyKeyInFlight'

/** An example body for each code. */
export const errorExamples: Map<string, Json> = new Map()

function exampleOfRefusal(code: RefusalCode): Json {
  const [status, message] = refusals[code]
  const body = failureBody(status, code === 'VALIDATION_FAILED' ? 'userId is required' : message)
  const hasCodeInBody = status === 422 || targetRefusals.some((refusal) => refusal === code)
  errorExamples.set(code, { value: hasCodeInBody ? { ...body, code } : body })
  return { $ref: `#/components/examples/${code}` }
}

/** Returns every refusal of an operation, by status. */
export function refusalsOf({ roles, query, isMutation, refusals: own }: OperationDocs, { body, params }: Hooks): Json {
  const codes = new Set<RefusalCode>([
    ...(body !== undefined
      ? ofBodies
      : query !== undefined || params !== undefined
        ? ['VALIDATION_FAILED' as const]
        : []),
    ...(isMutation ? ofMutations : []),
    ...(roles.length > 0 ? ofKeys : []),
    ...own,
    ...(roles.length > 0 ? always : ['INTERNAL_ERROR' as const]),
  ])
  const byStatus = Map.groupBy(codes, (code) => refusals[code][0])
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, sameStatus]) => [status, sharedRefusal(status, sameStatus)]),
  )
}

function sharedRefusal(status: (typeof refusals)[RefusalCode][0], codes: RefusalCode[]): Json {
  if (codes.length > sharedMax) return refusalOf(status, codes)
  const words = codes.map((code) =>
    code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  )
  const name = shortNames[codes.join()] ?? words.join('Or').replace(bothKeys, shortNames[ofMutations.slice(1).join()]!)
  if (!refusalComponents.has(name)) refusalComponents.set(name, refusalOf(status, codes))
  return { $ref: `#/components/responses/${name}` }
}

function refusalOf(status: (typeof refusals)[RefusalCode][0], codes: RefusalCode[]): Json {
  const examples = Object.fromEntries(codes.map((code) => [publicCode(code), exampleOfRefusal(code)]))
  const schema = { $ref: `#/components/schemas/${status === 422 ? 'SimulationRefused' : 'Error'}` }
  return {
    description: codes.map((code) => `\`${publicCode(code)}\``).join(', '),
    headers: {
      ...headersOf(['code']),
      ...([409, 429, 503].includes(status) && headersOf(['retry'])),
      ...(status === 429 && headersOf(['limit', 'remaining', 'reset'])),
    },
    content: { 'application/json': { schema, examples } },
  }
}
