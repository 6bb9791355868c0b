import type { RefusalCode } from '../request/failure'
import type { ListQuery } from '../request/page'

/** Tags in the order in which an integrator needs them. */
export const tags = {
  'Getting started': 'Status of the service, and the supported chains and tokens.',
  'Deposit intents': 'Destinations of users’ deposits.',
  Accounts: 'Deposit addresses.',
  Deposits: 'Deposits, from the moment their transaction was first seen.',
  Executions: 'Routing of deposits.',
  Simulation: 'Simulated routing of a deposit.',
  Events: 'Events of deposits and executions.',
  'Webhook endpoints': 'Endpoints that receive events.',
  Service: 'Facts about the service itself.',
  Operators: 'Actions of operators. Every action needs a reason and is written to the audit log first.',
} as const
type Tag = keyof typeof tags

/** A response to document. It needs its own example only if the examples of its fields do not fit together. */
type AnswerDocs = { description: string; example?: unknown; headers?: readonly ('etag' | 'idempotent-replayed')[] }
type ViewDocs = AnswerDocs & { view: unknown; rows?: undefined }
/** A list of these rows with a `link`, as an array or in an envelope. */
export type ListDocs = AnswerDocs & { rows: { array(): unknown }; view?: undefined }
export type AnswerHeader = 'etag' | 'link' | 'idempotent-replayed'

/** The answers of an endpoint. A list needs the query that can request its envelope. */
type Answers =
  | { query?: unknown; answers: Record<number, ViewDocs> }
  | { query: { infer: ListQuery }; answers: { 200: ListDocs } }

/** The documentation of an endpoint. The OpenAPI document reads everything else from the route. */
export type OperationDocs = Answers & {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** The roles that may call it. If empty, no key is needed. */
  roles: readonly string[]
  rateClass?: string
  bodyExample?: object
  isMutation?: boolean
  /** Whether the response is a `text/event-stream` whose every `data` has the view. */
  isStream?: boolean
  /** The types of a file that is returned instead of JSON, or as an alternative to it if there is a view. */
  fileTypes?: readonly string[]
  refusals: readonly RefusalCode[]
}

export const operationDocs = (described: OperationDocs) => ({ detail: { operation: described } as object })
export const hidden = { detail: { hide: true } } as const
