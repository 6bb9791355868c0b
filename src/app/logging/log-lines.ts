import { attentionStatuses, type Status, statuses, statusNames } from '../../domain/execution/status'

/** What each level requires of the people who run the service. */
export const levels = {
  fatal: 'The process ends.',
  error: 'Somebody must look now: this is a bug, or money does not move until it is fixed.',
  warn: 'Something is unavailable or waits for a person; the service works around it meanwhile.',
  info: 'This is what happened, in order. Nobody has to act.',
  debug: 'Details for somebody who is investigating.',
} as const
type Level = keyof typeof levels

const line = <L extends Level>(level: L, message: string) => ({ level, message })

/** An operator must act on these statuses sooner or later. */
const levelOfStatus = (status: Status): Level =>
  (attentionStatuses as readonly Status[]).includes(status) || status === 'FAILED_NO_FUNDS' ? 'warn' : 'info'

const reached = Object.fromEntries(
  statusNames.map((status) => [
    `EXECUTION_${status}`,
    line(levelOfStatus(status), `execution ${status}: ${statuses[status].description}`),
  ]),
) as Record<`EXECUTION_${Status}`, { level: Level; message: string }>

/**
 * Every line that the log can contain. A line's `event` is its name in this table, and only this table sets its level.
 */
export const logLines = {
  STARTING: line('info', 'The process starts, and connects to its servers.'),
  STARTED: line('info', 'The service is listening.'),
  STOPPING: line('info', 'The process was asked to stop.'),
  STOPPED: line('info', 'The process has stopped.'),
  INDEXES_LATE: line('info', 'The indexes are still being created, and the start waits for them.'),
  MIGRATION_OWED: line(
    'warn',
    'The database holds documents of an earlier release: run "npx switchyard migrate" once.',
  ),
  SIGNING_LOG_FAILED: line('fatal', 'The signing log cannot be written, so that nothing can be signed.'),
  SIGNER_LOG_OTHER: line(
    'error',
    'The log of the signer is shorter than it was, or another one. Nothing that it signs is sent until an operator accepts it.',
  ),
  SIGNER_HOUR_FULL: line(
    'warn',
    'As much of a token was signed as SIGNER_HOURLY_PERCENT allows in an hour, or SIGNER_ORGANIZATION_PERCENT for an organization. Later orders wait.',
  ),
  VARIABLE_MISPLACED: line('warn', 'A key is set that no role of this process needs. It was not read; remove it.'),
  NATS_ADVICE: line('debug', 'The NATS server should be configured differently.'),
  NATS_LOST: line(
    'warn',
    'NATS acknowledges no messages. Workers find what is due in MongoDB, and the scanner finds deposits, only later.',
  ),
  NATS_BACK: line('info', 'NATS acknowledges messages again.'),
  MONGODB_LOST: line('error', 'MongoDB is unreachable. Nothing can be stored, so nothing is signed.'),
  MONGODB_BACK: line('info', 'MongoDB is reachable again.'),
  TRIED_AGAIN: line('warn', 'Background work failed and will be tried again.'),
  CUT_OFF: line('debug', 'The loss of MongoDB interrupted background work, which will be tried again.'),
  PROVIDER_REFUSES_US: line(
    'error',
    'A provider refuses our credentials. It gets no requests, and the executions that need it wait.',
  ),
  PROVIDER_UNREADABLE: line(
    'error',
    'What a provider answers cannot be read, so it is not asked, and the executions that need it wait.',
  ),
  PROVIDER_RESTS: line('warn', 'A provider fails for every organization, so requests to it are suspended.'),
  PROVIDER_BACK: line('info', 'A provider answers again.'),
  WEBHOOK_RECEIVED: line('debug', 'A webhook reported transactions.'),
  WEBHOOK_UNREADABLE: line('warn', 'A signed webhook could not be parsed; its sender may have changed the format.'),
  WEBHOOK_RESUMED: line('warn', 'A paused webhook was activated again.'),
  WEBHOOK_ENDPOINT_DISABLED: line(
    'warn',
    'A webhook endpoint of an organization failed for five days or is gone, so nothing is posted to it any more.',
  ),
  NODE_BUDGET_NEAR: line('warn', 'Most of today’s budget for requests to the nodes of a chain is spent.'),
  NODE_BUDGET_SPENT: line(
    'warn',
    'Today’s budget for requests to the nodes of a chain is spent. What can wait is done less often until midnight UTC.',
  ),
  DEPOSIT_SEEN: line('info', 'A deposit was seen and is being confirmed.'),
  DEPOSIT_CONFIRMED: line('info', 'A deposit is confirmed, and its execution begins.'),
  ...reached,
  EXECUTION_SUPERSEDED: line(
    'info',
    'An execution has ended whose money belongs to another one now. Nobody has to act.',
  ),
  IN_FLIGHT_UNSEEN: line(
    'warn',
    'Money is in flight, and for more than a minute nothing can be asked that would show whether it has arrived.',
  ),
  STEP_UNEXPECTED: line('error', 'A step failed with an unexpected error. The execution waits.'),
  INTENT_NOT_SEALED: line(
    'error',
    'ALARM: a stored intent is not what its integrator sent. Nothing is signed for it. Investigate at once.',
  ),
  WAKE_REFUSED: line('error', 'A wake-up failed and will not be redelivered.'),
  OVERDUE: line('warn', 'Something should have made progress by now.'),
  OVERDUE_MORE: line('warn', 'More things are overdue than were logged; the operators’ page lists all of them.'),
  OVERDUE_OVER: line('info', 'Something that was overdue no longer is.'),
  CHAIN_RECOVERED: line('info', 'Work on a chain has resumed.'),
  CHAIN_REORGANIZED: line('error', 'A confirmed block was replaced by another one.'),
  CHAIN_DIFFERS: line('error', 'The contracts on a chain differ from the configuration. Nothing is signed there.'),
  CHAIN_REMARK: line('warn', 'The contracts on a chain have a property that operators should know of.'),
  CHAIN_VERIFIED: line('info', 'The contracts on a chain match the configuration.'),
  REQUEST_UNEXPECTED: line('error', 'A request failed with an unexpected error.'),
  REQUEST_UNANSWERED: line('warn', 'Requests are answered with 503 because something that they need is unavailable.'),
  SIGN_IN_TROUBLE: line('warn', 'An operation of sign-in failed.'),
  LETTER_UNSENT: line('warn', 'A letter about a disabled webhook endpoint did not reach one of its people.'),
  LINK_WITHOUT_MAIL: line('warn', 'No mail server is configured, so a link was not sent.'),
  PROMISE_UNAWAITED: line('error', 'A promise was rejected and nothing handled it.'),
} as const satisfies Record<string, { level: Level; message: string }>

export type LogEvent = keyof typeof logLines
