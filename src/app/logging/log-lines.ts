import { attentionStatuses } from '../../domain/execution/attention'
import { type Status, statuses, statusNames } from '../../domain/execution/status'

/** What each level asks of whoever runs the service. */
export const levels = {
  fatal: 'The process ends.',
  error: 'Somebody has to look now: a bug, or money that does not move until it is mended.',
  warn: 'Something is away or waits for a person; the service works around it meanwhile.',
  info: 'What happened, in order. Nobody has to act.',
  debug: 'For whoever looks for something.',
} as const
type Level = keyof typeof levels

const line = <L extends Level>(level: L, message: string) => ({ level, message })

/** Whoever sees one of these in the log has something to do, sooner or later. */
const levelOfStatus = (status: Status): Level =>
  (attentionStatuses as readonly Status[]).includes(status) || status === 'FAILED_NO_FUNDS' ? 'warn' : 'info'

const reached = Object.fromEntries(
  statusNames.map((status) => [
    `EXECUTION_${status}`,
    line(levelOfStatus(status), `execution ${status}: ${statuses[status].description}`),
  ]),
) as Record<`EXECUTION_${Status}`, { level: Level; message: string }>

/** THE table of all that the log says: a line's `event` is its name here, and its level is nobody else's to choose. */
export const logLines = {
  STARTED: line('info', 'listening'),
  STOPPING: line('info', 'asked to stop'),
  STOPPED: line('info', 'stopped'),
  INDEXES_LATE: line('info', 'indexes are being made: the start waits for them'),
  VARIABLE_MISPLACED: line('warn', 'a key is set where no role needs it: take it away; it was not read'),
  NATS_ADVICE: line('debug', 'what the NATS server should be told'),
  NATS_LOST: line('warn', 'NATS is away: deposits are carried on by the sweeper and found by the scanner, later'),
  NATS_BACK: line('info', 'NATS is back'),
  MONGODB_LOST: line('error', 'MongoDB is away: nothing can be stored, and nothing is signed'),
  MONGODB_BACK: line('info', 'MongoDB is back'),
  TRIED_AGAIN: line('warn', 'something failed in the background; it is tried again'),
  CUT_OFF: line('debug', 'something was cut off by the loss of MongoDB; it is tried again'),
  PROVIDER_REFUSES_US: line('error', 'a provider refuses our credentials: nobody asks it, and what needs it waits'),
  PROVIDER_RESTS: line('warn', 'a provider fails for everybody: it is left alone'),
  PROVIDER_BACK: line('info', 'a provider answers again'),
  WEBHOOK_RECEIVED: line('debug', 'a webhook told of transactions'),
  WEBHOOK_UNREADABLE: line('warn', 'a signed webhook could not be read: its sender may have changed the format'),
  WEBHOOK_RESUMED: line('warn', 'a paused webhook was switched on again'),
  DEPOSIT_SEEN: line('info', 'a deposit was seen; it is confirming'),
  DEPOSIT_CONFIRMED: line('info', 'a deposit is confirmed; its execution begins'),
  ...reached,
  EXECUTION_SUPERSEDED: line('info', 'an execution ended whose money another one has: nobody has to act'),
  STEP_UNEXPECTED: line('error', 'a step failed for a reason nobody expected; the execution waits'),
  INTENT_NOT_SEALED: line(
    'error',
    'ALARM: a stored intent is not what its integrator gave; nothing is signed for it, look at once',
  ),
  WAKE_REFUSED: line('error', 'a wake-up failed, and does not come again'),
  OVERDUE: line('warn', 'something should have moved by now'),
  OVERDUE_MORE: line('warn', 'so many more are overdue: the operators’ page lists them'),
  OVERDUE_OVER: line('info', 'no longer overdue'),
  CHAIN_RECOVERED: line('info', 'work on a chain goes on'),
  CHAIN_REORGANIZED: line('error', 'a confirmed block was replaced'),
  CHAIN_DIFFERS: line('error', 'what is on a chain is not what is configured: nothing is signed there'),
  CHAIN_REMARK: line('warn', 'something about the contracts on a chain is worth knowing'),
  CHAIN_VERIFIED: line('info', 'the contracts on a chain are those that are configured'),
  REQUEST_UNEXPECTED: line('error', 'a request met an error nobody expected'),
  REQUEST_UNANSWERED: line('warn', 'requests are answered with 503: what they need is away'),
  SIGN_IN_TROUBLE: line('warn', 'something of sign-in failed'),
  LINK_WITHOUT_MAIL: line('warn', 'no mail server is configured; a link was not sent'),
  PROMISE_UNAWAITED: line('error', 'a promise failed and nobody waited for it'),
} as const satisfies Record<string, { level: Level; message: string }>

export type LogEvent = keyof typeof logLines
