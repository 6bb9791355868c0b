import type { Type } from 'arktype'
import { type ChainKey, chainIds, chainKeys, chains } from '../../domain/chain/chain'
import type { Address as AddressText, Hash as HashText } from '../../domain/chain/hex'
import { type Status as StatusName, statusNames } from '../../domain/execution/status'
import { type } from '../../domain/schema'
import { example } from './examples'

/** Documents a field in the OpenAPI document: its meaning, its unit, and real examples. */
export const described = <T>(field: T, description: string, ...examples: unknown[]): T =>
  (field as { configure(meta: object, selector: string): T }).configure(
    examples.length > 0 ? { description, examples } : { description },
    'self',
  )

const as = <T>(field: unknown) => field as Type<T>

export const address = as<AddressText>(type(/^0x[0-9a-fA-F]{40}$/).describe('an EVM address'))
export const Address = (description: string, example: string) => described(address, description, example)
export const AddressOrNull = (description: string, example: string | null) =>
  described(address.or('null'), description, example)

export const hash = as<HashText>(type(/^0x[0-9a-f]{64}$/).describe('a hash of 32 bytes, lower case'))
export const Hash = (description: string, example: string) => described(hash, description, example)
export const HashOrNull = (description: string, example: string | null) =>
  described(hash.or('null'), description, example)

const clock = String.raw`([01]\d|2[0-3]):[0-5]\d`
const day = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
/** The form of a time in a request. It checks the month, hour and minute, but not whether the month has that day. */
const isoForm = new RegExp(`^${day}T${clock}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]${clock})$`)
export const requestTime = type(isoForm).describe('an ISO 8601 time')

export const calendarDate = type('string').configure({ format: 'date' } as object, 'self')

export const amount = type(/^(0|[1-9][0-9]{0,77})$/).describe('an amount in atomic units, decimal digits only')
export const Amount = (description: string, example: string) => described(amount, description, example)
export const AmountOrNull = (description: string, example: string | null) =>
  described(amount.or('null'), description, example)

const time = described(type('string').configure({ format: 'date-time' } as object, 'self'), 'A time')
export const Time = (description: string, example = '2026-11-21T10:00:24.640Z') => described(time, description, example)
export const TimeOrNull = (description: string, example: string | null) =>
  described(time.or('null'), description, example)

export const chainId = type.enumerated(...chainIds)
export const ChainId = (description: string, example: number = chains.base.id) =>
  described(chainId, description, example)
export const chainKey = as<ChainKey>(type.enumerated(...chainKeys))
export const ChainKeyName = (description: string, example: ChainKey = 'base') =>
  described(chainKey, description, example)

export const Status = as<StatusName>(type.enumerated(...statusNames))
const meaning = '[what each means](#/Service/getLifecycle)'
export const StatusField = (description: string, example: StatusName) =>
  described(Status, `${description}; ${meaning}`, example)
export const StatusOrNull = (description: string, example: StatusName | null) =>
  described(Status.or('null'), `${description}; ${meaning}`, example)

export const Text = (description: string, ...examples: string[]) => described(type('string'), description, ...examples)
export const TextOrNull = (description: string, example: string | null) =>
  described(type('string | null'), description, example)
export const Count = (description: string, example: number) =>
  described(type('number.integer >= 0'), description, example)
export const CountOrNull = (description: string, example: number | null) =>
  described(type('number.integer >= 0').or('null'), description, example)
export const Measure = (description: string, example: number) => described(type('number >= 0'), description, example)
export const Flag = (description: string, example: boolean) => described(type('boolean'), description, example)

/** Well-formed text only: a lone surrogate would be stored as another user (decision 5). */
export const userIdText = type(/^[^\p{Cc}\p{Cs}\uFFFD]{1,256}$/u).describe(
  '1 to 256 characters, none a control character',
)
export const UserId = described(userIdText, 'Your stable identifier of the user, compared byte for byte', 'user-1')
export const UserParams = type({ userId: UserId })

export const TraceIdText = described(
  type(/^[0-9a-f]{32}$/),
  'Trace id of the deposit, in every log line and span about it',
  '58f35e92d1274d085b92e100900430e2',
)

export const isoTime = (at: number): string => new Date(at).toISOString()
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

/** Ids are opaque, and safe in a path (extensions 1.2). A text that is not an id has no match. */
export const IdParam = described(type('1 <= string <= 1024'), 'The id', example.depositId)
export const IdParams = type({ id: IdParam })
