import { once } from 'node:events'
import pino from 'pino'
import { traceIdOf } from '../../domain/execution/trace'
import { literally } from '../../domain/plain-text'
import { loggableError } from './error-for-log'
import { type LogEvent, logLines } from './log-lines'

/** Names of fields that could carry a secret. Their values are never logged. */
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

/**
 * The fields of a line. `execution` and `deposit` are ids; a line with one of them carries the trace of that deposit.
 */
type LogFields = { execution?: string | null; deposit?: string | null; error?: unknown } & Record<string, unknown>

export type Log = {
  /** @param message Replaces the table's message if the line can name its object. */
  say(event: LogEvent, fields?: LogFields, message?: string): void
  /** Resolves when every line is written. Lines logged later are dropped. */
  close(): Promise<void>
  /** How often each line was logged, including lines below the level. */
  counts(): ReadonlyMap<LogEvent, number>
}

type Options = {
  /** Texts that are masked in every line, whatever their source. */
  secrets?: readonly string[]
  /** The id of the active trace, for lines without a deposit. */
  traceId?: () => string | undefined
}

/** Writes one JSON line per event to standard output. */
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
      serializers: { error: loggableError },
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

/** Shorter secrets are not masked: their text would match ordinary words. */
const secretLeast = 8

function without(secrets: readonly string[]): (line: string) => string {
  // The secrets as JSON escapes them, and without `0x`: a key might be logged with or without it.
  const texts = secrets.map((secret) => JSON.stringify(secret.replace(/^0x/, '')).slice(1, -1))
  const said = [...new Set(texts)].filter(({ length }) => length >= secretLeast)
  if (said.length === 0) return (line) => line
  const any = new RegExp(said.map(literally).join('|'), 'gi')
  return (line) => line.replace(any, '[secret]')
}
