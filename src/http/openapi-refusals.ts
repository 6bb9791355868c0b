import { failureBody, type RefusalCode, refusals, saidCode } from './failure'
import { headersOf } from './openapi-headers'
import type { Json } from './openapi-schema'
import type { Operation } from './operation'

type Hooks = { body?: unknown; params?: unknown }

const always: RefusalCode[] = ['INTERNAL_ERROR', 'STORE_UNAVAILABLE']
const ofKeys: RefusalCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED']
const ofBodies: RefusalCode[] = ['VALIDATION_FAILED', 'MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const ofMutations: RefusalCode[] = ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_FLIGHT']

/** Every refusal that an operation can answer, by status. */
export function refusalsOf({ roles, query, isMutation, refusals: own }: Operation, { body, params }: Hooks): Json {
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
    [...byStatus].toSorted(([a], [b]) => a - b).map(([status, found]) => [status, refusalOf(status, found)]),
  )
}

function refusalOf(status: (typeof refusals)[RefusalCode][0], codes: RefusalCode[]): Json {
  const examples = Object.fromEntries(
    codes.map((code) => {
      const body = failureBody(status, code === 'VALIDATION_FAILED' ? 'userId is required' : refusals[code][1])
      return [saidCode(code), { summary: refusals[code][1], value: status === 422 ? { ...body, code } : body }]
    }),
  )
  const schema = { $ref: `#/components/schemas/${status === 422 ? 'SimulationRefused' : 'Error'}` }
  return {
    description: codes.map((code) => `\`${saidCode(code)}\``).join(', '),
    headers: {
      ...headersOf(['request']),
      'x-error-code': {
        description: 'The reason, for programs',
        schema: { type: 'string', enum: codes.map(saidCode) },
        example: saidCode(codes[0]!),
      },
      ...([409, 429, 503].includes(status) && {
        'retry-after': { description: 'Seconds to wait at least', schema: { type: 'integer' }, example: 1 },
      }),
    },
    content: { 'application/json': { schema, examples } },
  }
}
