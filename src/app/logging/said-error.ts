const url = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]}]+/gi
/** What a request of ours could carry, whoever says it back: after its name, or as a long word nobody writes. */
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
 * An error and the whole chain of its causes, as a line of the log may show them. Libraries put URLs into their
 * messages, and a provider's answer may say our credentials back: URLs are left out, and of an answer only its status
 * and a code are said.
 */
export function sayError(error: unknown, depth = 0): unknown {
  if (error instanceof Error) return sayThrown(error, depth)
  if (typeof error === 'string') return cleaned(error)
  if (typeof error !== 'object' || error === null) return String(error)
  return sayAnswer(error as Record<string, unknown>)
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
    ...(further && Array.isArray(errors) && { errors: errors.slice(0, 3).map((each) => sayError(each, depth + 1)) }),
    ...(further && cause !== undefined && { cause: sayError(cause, depth + 1) }),
  }
}

/** Where it was thrown; what it said is the message. */
const framesOf = (stack: string): string => {
  const frames = stack.split('\n').filter((text) => /^\s+at /.test(text))
  return frames.join('\n').slice(0, stackMax)
}

/** What was answered, where that is the cause: never its text, which is somebody else's. */
function sayAnswer({ status, code, body }: Record<string, unknown>): object {
  const said = typeof body === 'object' && body !== null ? (body as { code?: unknown }).code : undefined
  const known = [code, said].find(isShort)
  return { ...(isShort(status) && { status }), ...(known !== undefined && { code: known }) }
}

/** A number, or a word that a table could have: nothing that could be a secret. */
const word = /^[A-Za-z][A-Za-z_. -]{0,40}$|^[A-Za-z_]{1,20}\d{0,6}$/
const isShort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && word.test(value))
