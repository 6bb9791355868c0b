import { Elysia } from 'elysia'
import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { OperationRefused, type RefusalFacts } from '../../domain/execution/operation'
import { amountOf } from '../../domain/money/amount'
import { type, view } from '../../domain/schema'
import type { IdempotentRequests } from '../../ports/limits'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Caller, Gate } from '../request/caller'
import { Refusal, type RefusalCode } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import { example } from '../views/examples'
import { FullExecutionView, fullExecutionView } from '../views/execution-full'
import { Amount, described, IdParams, Text } from '../views/scalar'
import type { ViewContextFor } from '../views/view-context'
import { operatorOnly, operatorVerbs } from './access'
import { approval, approvedView } from './approval'
import type { OperatorPorts } from './ports'
import { Reason, ReasonBody, SeenSeq } from './reason'
import { requestOf } from './request-context'

type Ports = {
  operator: Pick<OperatorPorts, 'operations'>
  viewContextFor: ViewContextFor
  idempotency: IdempotentRequests
  now: () => number
}

export const RedriveIntent = described(
  type("'CURRENT' | 'ORIGINAL'").describe('CURRENT or ORIGINAL'),
  'The intent to use: the user’s current one, or the deposit’s original one. There is no default',
  'CURRENT',
)
const IntentVersion = described(
  type('number.integer >= 1'),
  'The version of the user’s intent that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE',
  3,
)
export const RedriveBody = type({ reason: Reason, intent: RedriveIntent, 'intentVersion?': IntentVersion })
export const RefundBody = type({ reason: Reason, 'intentVersion?': IntentVersion })

export const DeadLetterBody = type({ reason: Reason, 'seq?': SeenSeq })

const seenIn = ({ intentVersion }: typeof RefundBody.infer) => ({ intentVersion })

const firstRedrive = `${example.depositId}:r1`
export const RedrivenView = view({
  id: Text('The new execution', firstRedrive),
  redriveOf: Text('The execution that it re-drives', example.depositId),
  depositId: Text('The deposit whose money it routes', example.depositId),
  amountIn: Amount('Its money in the account, in atomic units, measured on chain', '25000000'),
})

const redrivenView = ({ id, redriveOf, deposit }: Execution): typeof RedrivenView.infer => ({
  id,
  redriveOf: redriveOf!,
  depositId: depositIdOfExecution(id),
  amountIn: deposit.amountRaw,
})

const redriveRefusals: RefusalCode[] = [
  'EXECUTION_NOT_FOUND',
  'NO_DEPOSIT_INTENT',
  'CHANGED_MEANWHILE',
  'NOT_TERMINAL',
  'NO_FUNDS_TO_REDRIVE',
  'FUNDS_NOT_IN_ACCOUNT',
  'TRANSACTION_IN_FLIGHT',
  'REDRIVE_IN_PROGRESS',
  'TOKEN_STILL_LISTED',
  'PROVIDER_UNAVAILABLE',
]
const reasonExample = { reason: 'The provider is back' }
const redriven = { 202: { view: RedrivenView, description: 'The new execution has begun.' } }
const acted = (description: string) => ({ 202: { view: FullExecutionView, description } })

const retryExecutionDocs = {
  params: IdParams,
  body: ReasonBody,
  ...operationDocs({
    operationId: 'retryExecution',
    tag: 'Operators',
    summary: 'Retry an execution now',
    description:
      'From FAILED, the next attempt starts now instead of later, and counts as an attempt. For burned money that ' +
      'waits for its mint, the mint is checked now, which does not count.',
    roles: operatorOnly.roles,
    bodyExample: reasonExample,
    isMutation: true,
    answers: acted('The next attempt is under way.'),
    refusals: ['EXECUTION_NOT_FOUND', 'NOT_RETRYABLE'],
  }),
}

const deadLetterExecutionDocs = {
  params: IdParams,
  body: DeadLetterBody,
  ...operationDocs({
    operationId: 'deadLetterExecution',
    tag: 'Operators',
    summary: 'End an execution',
    description:
      'Ends it in DEAD_LETTER, from FAILED, from intake, or from RUNNING after `next.by`. Refused while a signed ' +
      'transaction may still be mined, or while burned money waits for its mint.',
    roles: operatorOnly.roles,
    bodyExample: { reason: 'The sender asked for it' },
    isMutation: true,
    answers: acted('The execution has ended.'),
    refusals: ['EXECUTION_NOT_FOUND', 'CHANGED_MEANWHILE', 'TRANSACTION_IN_FLIGHT', 'ALREADY_ENDED'],
  }),
}

const redriveExecutionDocs = {
  params: IdParams,
  body: RedriveBody,
  ...operationDocs({
    operationId: 'redriveExecution',
    tag: 'Operators',
    summary: 'Re-drive an execution',
    description:
      'Starts a new execution for the money of this deposit that is measured in the account. The old ' +
      'execution keeps its final status.',
    roles: operatorOnly.roles,
    bodyExample: { ...reasonExample, intent: 'CURRENT' },
    isMutation: true,
    answers: redriven,
    refusals: redriveRefusals,
  }),
}

const refundExecutionDocs = {
  params: IdParams,
  body: RefundBody,
  ...operationDocs({
    operationId: 'refundExecution',
    tag: 'Operators',
    summary: 'Refund an execution',
    description: 'Re-drives to the refund address that the intent names, and to no other address.',
    roles: operatorOnly.roles,
    bodyExample: { reason: 'The target is gone for good' },
    isMutation: true,
    answers: redriven,
    refusals: ['NO_REFUND_ADDRESS', ...redriveRefusals],
  }),
}

/** The actions of an operator on one execution (extensions 9). */
export function operatorExecutions(
  { operator: { operations }, viewContextFor, idempotency, now }: Ports,
  gate: Gate,
  prefix: string,
) {
  type Context = {
    params: { id: string }
    caller: Caller
    request: Request
    path: string
    set: Parameters<typeof requestOf>[2]
  }
  type Verb = (id: string, request: ReturnType<typeof requestOf>) => Promise<Execution>

  const act = <Body extends { reason: string }>(
    { params, caller, request, path, set }: Context,
    body: Body,
    verb: Verb,
    view: (record: Execution) => object | Promise<object>,
  ) =>
    idempotent(idempotency, now, { request, path, set }, { caller, body }, async (): Promise<Answer> => {
      const record = await withOperationErrors(verb(params.id, requestOf(caller, body.reason, set)))
      return { status: 202, view: await view(record) }
    })
  const inFull = (caller: Caller) => async (record: Execution) =>
    fullExecutionView(record, await viewContextFor(caller))

  return new Elysia({ prefix })
    .use(authenticate(gate, operatorVerbs))
    .post(
      '/operator/executions/:id/retry',
      async ({ body, ...context }) => act(context, body, operations.retryNow, inFull(context.caller)),
      retryExecutionDocs,
    )
    .post(
      '/operator/executions/:id/approve',
      async ({ body, ...context }) =>
        act(
          context,
          body,
          (id, request) => operations.approve(id, amountOf(body.amountOutMin), request, { seq: body.seq }),
          (record) => approvedView(record, now()),
        ),
      approval,
    )
    .post(
      '/operator/executions/:id/dead-letter',
      async ({ body, ...context }) =>
        act(
          context,
          body,
          (id, request) => operations.deadLetter(id, request, { seq: body.seq }),
          inFull(context.caller),
        ),
      deadLetterExecutionDocs,
    )
    .post(
      '/operator/executions/:id/redrive',
      async ({ body, ...context }) =>
        act(context, body, (id, request) => operations.redrive(id, body.intent, request, seenIn(body)), redrivenView),
      redriveExecutionDocs,
    )
    .post(
      '/operator/executions/:id/refund',
      async ({ body, ...context }) =>
        act(context, body, (id, request) => operations.redrive(id, 'REFUND', request, seenIn(body)), redrivenView),
      refundExecutionDocs,
    )
}

/** Messages that state the facts of a refusal (extensions 1.5). */
const sentences: Partial<Record<RefusalCode, (facts: RefusalFacts) => string | undefined>> = {
  NO_DEPOSIT_INTENT: ({ isUnmatched }) =>
    isUnmatched && 'The deposit has no original intent, because it ended before it was matched with one',
  TOKEN_BLACKLISTED: ({ listed }) => `The ${listed} is still on the security list`,
  NOT_RETRYABLE: ({ status }) =>
    `Only an execution in FAILED, or one whose burned money waits to be minted, can be retried; this one is ${status}`,
  NOT_TERMINAL: ({ status }) => `Only an execution that has ended can be re-driven; this one is ${status}`,
  FUNDS_NOT_IN_ACCOUNT: ({ holder, executionId }) => {
    if (executionId) return `Execution ${executionId} has the money now`
    return holder
      ? `The money is with ${holder}, not in the account`
      : 'The money was refunded to the account, as a separate deposit'
  },
  TRANSACTION_IN_FLIGHT: ({ time, isRefused, isBurned }) => {
    if (isBurned) return 'The money is burned and must be minted to end the execution; a retry checks it immediately'
    return isRefused
      ? `The signed order that the chain rejected expires at ${time}; try again after a later block is confirmed`
      : `A signed transaction of this execution may still be mined; try again after ${time}`
  },
  REDRIVE_IN_PROGRESS: ({ executionId }) => `Execution ${executionId} is already re-driving this deposit`,
}

/** Waits for an operation, and turns the domain's refusals into a `Refusal`. */
async function withOperationErrors<Result>(operation: Promise<Result>): Promise<Result> {
  try {
    return await operation
  } catch (error) {
    if (error instanceof RoutingError && error.retryable)
      throw new Refusal('PROVIDER_UNAVAILABLE', { message: 'The chain cannot be read', cause: error })
    if (!(error instanceof OperationRefused)) throw error
    const { code, facts } = error
    const message = sentences[code]?.(facts)
    throw new Refusal(code === 'TOKEN_BLACKLISTED' ? 'TOKEN_STILL_LISTED' : code, message ? { message } : {})
  }
}
