import pino from 'pino'

/** Names under which a secret could reach a log line. The value never does. */
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

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'flush'>

/** One JSON line per outcome, on standard output. @param keys that no line may show, in hexadecimal. */
export function createLog(level: string, keys: readonly string[] = []): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: [...secretPaths, 'req.headers["x-api-key"]'], censor: '[secret]' },
      serializers: { error: sayError },
      hooks: { streamWrite: without(keys) },
    },
    pino.destination({ sync: false, minLength: 0 }),
  )
}

/** Wherever a key may have come from: no line leaves with it. */
function without(keys: readonly string[]): (line: string) => string {
  if (keys.length === 0) return (line) => line
  const any = new RegExp(keys.map((key) => key.replace(/^0x/, '')).join('|'), 'gi')
  return (line) => line.replace(any, '[secret]')
}

const url = /\b(?:https?|wss?|nats|tls|mongodb(?:\+srv)?|postgres(?:ql)?):\/\/[^\s"')]+/gi

/** An error without the URLs that libraries put into their messages: they carry keys. */
export function sayError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error.replace(url, '[url]') : String(error)
  return {
    name: error.name,
    ...('code' in error && { code: error.code }),
    message: error.message.replace(url, '[url]').slice(0, 500),
    ...(depth === 0 && error.name !== 'RoutingError' && { stack: error.stack?.replace(url, '[url]').slice(0, 2_000) }),
    ...(error.cause !== undefined && depth < 3 && { cause: sayError(error.cause, depth + 1) }),
  }
}
