import type { RefusalCode } from '../request/failure'

/** Tags in the order in which an integrator needs them. */
export const tags = {
  'Getting started': 'Whether the service is up, which chains and tokens there are.',
  'Deposit intents': 'Where the deposits of a user go.',
  Accounts: 'Deposit addresses.',
  Deposits: 'What arrived, from the first sight of its transaction.',
  Executions: 'What becomes of a deposit.',
  Simulation: 'What a deposit would become.',
  Events: 'The same as it happens.',
  Service: 'The service about itself.',
  Operators: 'What an operator may do. Every verb names a reason, and is written to the audit log before it acts.',
} as const
type Tag = keyof typeof tags

/** An answer whose fields have examples that make a whole needs none of its own. */
export type Answered = { view: unknown; description: string; example?: unknown; headers?: readonly AnswerHeader[] }
export type AnswerHeader = 'etag' | 'link' | 'idempotent-replayed'

/** What the OpenAPI document says of an endpoint; everything else it reads from the route. */
export type OperationDocs = {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** Roles that may call it; none: it needs no key. */
  roles: readonly string[]
  rateClass?: string
  query?: unknown
  bodyExample?: object
  isMutation?: boolean
  /** Whether it is answered as `text/event-stream`, each `data` what the view says. */
  isStream?: boolean
  answers: Record<number, Answered>
  refusals: readonly RefusalCode[]
}

export const operationDocs = (described: OperationDocs) => ({ detail: { operation: described } as object })
export const hidden = { detail: { hide: true } } as const
