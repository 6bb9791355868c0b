import type { RefusalCode } from '../request/failure'

/** Tags in the order in which an integrator needs them. */
export const tags = {
  'Getting started': 'Whether the service is up, and which chains and tokens it supports.',
  'Deposit intents': 'Where the deposits of a user go.',
  Accounts: 'Deposit addresses.',
  Deposits: 'What arrived, from the moment its transaction was first seen.',
  Executions: 'How a deposit is routed.',
  Simulation: 'How a deposit would be routed.',
  Events: 'What happens to deposits and executions.',
  'Webhook endpoints': 'Where events are posted to.',
  Service: 'Facts about the service itself.',
  Operators: 'What operators may do. Every act needs a reason and is written to the audit log first.',
} as const
type Tag = keyof typeof tags

/** An answer to document. It needs an example of its own only where those of its fields do not fit together. */
type AnswerDocs = { view: unknown; description: string; example?: unknown; headers?: readonly AnswerHeader[] }
export type AnswerHeader = 'etag' | 'link' | 'idempotent-replayed'

/** The documentation of an endpoint. The OpenAPI document reads everything else from the route. */
export type OperationDocs = {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** The roles that may call it. Without any, it needs no key. */
  roles: readonly string[]
  rateClass?: string
  query?: unknown
  bodyExample?: object
  isMutation?: boolean
  /** Whether the answer is a `text/event-stream` whose every `data` has the view. */
  isStream?: boolean
  /** The types of a file that is answered instead of JSON, or besides it if there is a view. */
  fileTypes?: readonly string[]
  answers: Record<number, AnswerDocs>
  refusals: readonly RefusalCode[]
}

export const operationDocs = (described: OperationDocs) => ({ detail: { operation: described } as object })
export const hidden = { detail: { hide: true } } as const
