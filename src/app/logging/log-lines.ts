import { type Status, statuses, statusNames } from '../../domain/execution/status'

/** What each level requires of the people who run the service. */
export const levels = {
  fatal: 'The process ends.',
  error: 'Act now: this is a bug, or money does not move until it is fixed.',
  warn: 'Something is unavailable or waits for a person. Until then the service works around it.',
  info: 'Events in order. No action is needed.',
  debug: 'Details for an investigation.',
} as const
type Level = keyof typeof levels

const line = <L extends Level>(level: L, message: string) => ({ level, message })

const reached = Object.fromEntries(
  statusNames.map((status) => [
    `EXECUTION_${status}`,
    line(statuses[status].logLevel, `execution ${status}: ${statuses[status].description}`),
  ]),
) as Record<`EXECUTION_${Status}`, { level: Level; message: string }>

/**
 * Every line that the log can contain. A line's `event` is its name in this table, and only this table sets its level.
 */
export const logLines = {
  STARTING: line('info', 'The process is starting and connecting to its servers.'),
  STARTED: line('info', 'The service is listening.'),
  STOPPING: line('info', 'The process was asked to stop.'),
  STOPPED: line('info', 'The process has stopped.'),
  INDEXES_LATE: line('info', 'Indexes are still being created. The start waits for them.'),
  MIGRATION_OWED: line(
    'warn',
    'The database holds documents of an earlier release: run "npx switchyard migrate" once.',
  ),
  SIGNING_LOG_FAILED: line('fatal', 'The signing log cannot be written, so nothing can be signed.'),
  SIGNER_LOG_OTHER: line(
    'error',
    'The signing log is shorter than before or was replaced. Workers reject its signatures until an operator accepts the log.',
  ),
  SIGNER_HOUR_FULL: line(
    'warn',
    'Signing of a token has reached the hourly limit of SIGNER_HOURLY_PERCENT, or an organization’s SIGNER_ORGANIZATION_PERCENT. Later orders wait.',
  ),
  VARIABLE_MISPLACED: line('warn', 'A key is set that no role of this process needs. It was not read; remove it.'),
  NATS_ADVICE: line('debug', 'The NATS server should be configured differently.'),
  NATS_LOST: line(
    'warn',
    'NATS is not acknowledging messages. Workers poll MongoDB and the scanner finds deposits, with a delay.',
  ),
  NATS_BACK: line('info', 'NATS acknowledges messages again.'),
  MONGODB_LOST: line('error', 'MongoDB is unreachable. Nothing can be stored, so nothing is signed.'),
  MONGODB_BACK: line('info', 'MongoDB is reachable again.'),
  TRIED_AGAIN: line('warn', 'Background work failed and will be tried again.'),
  CUT_OFF: line('debug', 'The loss of MongoDB interrupted background work, which will be tried again.'),
  PROVIDER_REFUSES_US: line(
    'error',
    'A provider refuses our credentials. It gets no requests but probes, and the executions that need it wait.',
  ),
  PROVIDER_UNREADABLE: line('error', 'A provider’s responses cannot be read. The executions that need them wait.'),
  PROVIDER_RESTS: line('warn', 'A provider fails. It gets no quote requests but probes.'),
  PROVIDER_BACK: line('info', 'A provider responds again.'),
  WEBHOOK_RECEIVED: line('debug', 'A webhook reported transactions.'),
  WEBHOOK_UNREADABLE: line('warn', 'A signed webhook could not be parsed. Its sender may have changed the format.'),
  WEBHOOK_RESUMED: line('warn', 'A paused webhook was activated again.'),
  WEBHOOK_ENDPOINT_DISABLED: line(
    'warn',
    'A webhook endpoint of an organization failed for five days or is gone, and was disabled.',
  ),
  NODE_BUDGET_NEAR: line('warn', 'Most of today’s budget for requests to the nodes of a chain is spent.'),
  NODE_BUDGET_SPENT: line(
    'warn',
    'Today’s budget for requests to the nodes of a chain is spent. Work that can wait runs less often until midnight UTC.',
  ),
  DEPOSIT_SEEN: line('info', 'A deposit was seen and is being confirmed.'),
  DEPOSIT_CONFIRMED: line('info', 'A deposit is confirmed, and its execution begins.'),
  ...reached,
  EXECUTION_SUPERSEDED: line(
    'info',
    'An execution has ended and its money now belongs to another one. No action is needed.',
  ),
  IN_FLIGHT_UNSEEN: line('warn', 'Money is in flight, and its arrival could not be checked for more than a minute.'),
  STEP_UNEXPECTED: line('error', 'A step failed with an unexpected error. The execution waits.'),
  INTENT_NOT_SEALED: line(
    'error',
    'ALARM: a stored intent failed its integrity check. Nothing is signed for it. Investigate immediately.',
  ),
  WAKE_REFUSED: line('error', 'A wake-up failed and will not be redelivered.'),
  MONEY_UNEXPLAINED: line('warn', 'The audit cannot explain some money. The sentences are in `faults`.'),
  OVERDUE: line('warn', 'Something should have made progress by now.'),
  OVERDUE_MORE: line('warn', 'More is overdue than was logged. The Operations page lists everything.'),
  OVERDUE_OVER: line('info', 'Something that was overdue no longer is.'),
  CHAIN_RECOVERED: line('info', 'Work on a chain has resumed.'),
  CHAIN_REORGANIZED: line('error', 'A confirmed block was replaced by another one.'),
  CHAIN_DIFFERS: line('error', 'The contracts on a chain differ from the configuration. Nothing is signed there.'),
  CHAIN_REMARK: line('warn', 'The contracts on a chain have a property that operators should check.'),
  CHAIN_VERIFIED: line('info', 'The contracts on a chain match the configuration.'),
  REQUEST_UNEXPECTED: line('error', 'A request failed with an unexpected error.'),
  REQUEST_UNANSWERED: line('warn', 'Requests are answered with 503 because a dependency is unavailable.'),
  SIGN_IN_TROUBLE: line('warn', 'An operation of sign-in failed.'),
  LETTER_UNSENT: line('warn', 'An e-mail about a disabled webhook endpoint did not reach a member.'),
  LINK_WITHOUT_MAIL: line('warn', 'No mail server is configured, so a link was not sent.'),
  PROMISE_UNAWAITED: line('error', 'A promise rejection was not handled.'),
} as const satisfies Record<string, { level: Level; message: string }>

export type LogEvent = keyof typeof logLines
