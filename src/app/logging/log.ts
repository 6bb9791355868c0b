import { once } from 'node:events'
import pino from 'pino'
import { traceIdOf } from '../../domain/execution/trace'
import { literally } from '../../domain/plain-text'
import { sayError } from './error-for-log'
import { type LogEvent, logLines } from './log-lines'

/** Field names under which a secret could reach a log line. Their values are never written. */
const secretPaths = [
  'apiKey',
  'key',
  'secret',
  'privateKey',
  'password',
  'authorization',
  'signature',
  'bytes',
].flatMap((name) => [name, `*.${name}`])

/** The fields of a line. `execution` and `deposit` are ids; a line that has one carries the trace of that deposit. */
type LogFields = { execution?: string | null; deposit?: string | null; error?: unknown } & Record<string, unknown>

export type Log = {
  /** @param message replaces the message of the table where the line can name what it is about. */
  say(event: LogEvent, fields?: LogFields, message?: string): void
  /** Resolves when every line is written. Lines that are logged afterwards are dropped. */
  close(): Promise<void>
  /** How often each line was logged, including those that the level left out. */
  counts(): ReadonlyMap<LogEvent, number>
}

type Options = {
  /** Texts that must not appear in any line, wherever they come from. */
  secrets?: readonly string[]
  /** The id of the active trace, for lines that name no deposit. */
  traceId?: () => string | undefined
}

/** One JSON line per outcome, on standard output. */
export function createLog(level: string, { secrets = [], traceId = () => undefined }: Options = {}): Log {
  const counts = new Map<LogEvent, number>()
  const lines = pino.destination({ sync: false, minLength: 0 })
  const out = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...secretPaths, 'req.headers["x-api-key"]'], censor: '[secret]' },
      serializers: { error: sayError },
      hooks: { streamWrite: without(secrets) },
    },
    lines,
  )
  return {
    say(event, fields = {}, message = logLines[event].message) {
      counts.set(event, (counts.get(event) ?? 0) + 1)
      const { level: weight } = logLines[event]
      if (!out.isLevelEnabled(weight)) return
      const id = fields.execution ?? fields.deposit
      const trace = id ? traceIdOf(id) : traceId()
      out[weight]({ event, ...(trace && { traceId: trace }), ...fields }, message)
    },
    async close() {
      out.level = 'silent'
      const closed = once(lines, 'close')
      lines.end()
      await closed
    },
    counts: () => counts,
  }
}

/** A shorter secret is not masked: its text would match ordinary words all over the log. */
const secretLeast = 8

function without(secrets: readonly string[]): (line: string) => string {
  // The secrets as JSON escapes them, and without `0x`, because a key may be logged with or without it.
  const texts = secrets.map((secret) => JSON.stringify(secret.replace(/^0x/, '')).slice(1, -1))
  const said = [...new Set(texts)].filter(({ length }) => length >= secretLeast)
  if (said.length === 0) return (line) => line
  const any = new RegExp(said.map(literally).join('|'), 'gi')
  return (line) => line.replace(any, '[secret]')
}
