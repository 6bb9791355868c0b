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
  if (error instanceof Error) return sayThrown(error, depth)
  if (typeof error === 'string') return cleaned(error)
  if (typeof error !== 'object' || error === null) return String(error)
  return loggableResponse(error as Record<string, unknown>)
}

function sayThrown(error: Thrown, depth: number): object {
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
  const known = [code, said].find(isShort)
  return { ...(isShort(status) && { status }), ...(known !== undefined && { code: known }) }
}

/** A number, or a short word such as an error code: too short to be a secret. */
const word = /^[A-Za-z][A-Za-z_. -]{0,40}$|^[A-Za-z_]{1,20}\d{0,6}$/
const isShort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && word.test(value))
