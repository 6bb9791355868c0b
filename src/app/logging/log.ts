import { once } from 'node:events'
import pino from 'pino'
import { traceIdOf } from '../../domain/execution/execution'
import { literally } from '../../domain/plain-text'
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
  write(event: LogEvent, fields?: LogFields, message?: string): void
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
    write(event, fields = {}, message = logLines[event].message) {
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

const url = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]}]+/gi
/**
 * Credentials that our request might carry and a response might repeat: a value after such a name, or a long random
 * word.
 */
const names = '(?:x-)?(?:api|access)[-_ ]?key|bearer|basic|token|authorization|password|secret'
const credential = new RegExp(`\\b(${names})\\b(\\s*[:=]\\s*|\\s+)[^\\s,;"']{6,}`, 'gi')
const random = /\b(?!0x)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}\b/g
const textMax = 500
const stackMax = 2_000
const causesMax = 8

const cleaned = (text: string, max = textMax): string =>
  text.replace(url, '[url]').replace(credential, '$1$2[secret]').replace(random, '[hidden]').slice(0, max)

type Thrown = Error & { code?: unknown; status?: unknown; errors?: unknown }

/**
 * Returns an error and its chain of causes in a form that is safe to log. Libraries put URLs into messages, and a
 * provider's response might repeat our credentials. URLs are masked; of a response only the status and a code remain.
 */
export function loggableError(error: unknown, depth = 0): unknown {
  if (error instanceof Error) return describeThrown(error, depth)
  if (typeof error === 'string') return cleaned(error)
  if (typeof error !== 'object' || error === null) return String(error)
  return loggableResponse(error as Record<string, unknown>)
}

function describeThrown(error: Thrown, depth: number): object {
  const { name, message, code, status, errors, cause } = error
  const isOurs = name === 'RoutingError'
  const further = depth < causesMax
  return {
    name,
    ...(isShort(code) && { code }),
    ...(isShort(status) && { status }),
    message: cleaned(message),
    ...(depth === 0 && !isOurs && error.stack && { stack: framesOf(error.stack) }),
    ...(further &&
      Array.isArray(errors) && { errors: errors.slice(0, 3).map((each) => loggableError(each, depth + 1)) }),
    ...(further && cause !== undefined && { cause: loggableError(cause, depth + 1) }),
  }
}

/** Returns the stack without its first line, which repeats the message. */
const framesOf = (stack: string): string => {
  const frames = stack.split('\n').filter((text) => /^\s+at /.test(text))
  return frames.join('\n').slice(0, stackMax)
}

/** A response that caused an error. Its text comes from outside and is never logged. */
function loggableResponse({ status, code, body }: Record<string, unknown>): object {
  const said = typeof body === 'object' && body !== null ? (body as { code?: unknown }).code : undefined
  const shortCode = [code, said].find(isShort)
  return { ...(isShort(status) && { status }), ...(shortCode !== undefined && { code: shortCode }) }
}

/** A number, or a short word such as an error code: too short to be a secret. */
const word = /^[A-Za-z][A-Za-z_. -]{0,40}$|^[A-Za-z_]{1,20}\d{0,6}$/
const isShort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && word.test(value))
