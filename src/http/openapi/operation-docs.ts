import type { RefusalCode } from '../request/failure'

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
type AnswerDocs = { view: unknown; description: string; example?: unknown; headers?: readonly AnswerHeader[] }
export type AnswerHeader = 'etag' | 'link' | 'idempotent-replayed'

/** The documentation of an endpoint. The OpenAPI document reads everything else from the route. */
export type OperationDocs = {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** The roles that may call it. If empty, no key is needed. */
  roles: readonly string[]
  rateClass?: string
  query?: unknown
  bodyExample?: object
  isMutation?: boolean
  /** Whether the response is a `text/event-stream` whose every `data` has the view. */
  isStream?: boolean
  /** The types of a file that is returned instead of JSON, or as an alternative to it if there is a view. */
  fileTypes?: readonly string[]
  answers: Record<number, AnswerDocs>
  refusals: readonly RefusalCode[]
}

export const operationDocs = (described: OperationDocs) => ({ detail: { operation: described } as object })
export const hidden = { detail: { hide: true } } as const
