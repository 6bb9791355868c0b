import type { Secrets } from './config'

/**
 * Each secret as it might appear in a log line. A URL is split into its secret parts, because libraries log hosts,
 * paths and passwords separately.
 */
export const secretTexts = (secrets: Secrets): string[] => stringsIn(secrets).flatMap(partsOf)

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** A path segment of at least this length is treated as a key. */
const pathKeyLeast = 16

function partsOf(text: string): string[] {
  const url = text.includes('://') ? URL.parse(text.split(',')[0]!) : null
  if (!url) return text.includes('://') ? [text, ...userInfoOf(text)] : [text]
  const path = url.pathname.split('/').filter(({ length }) => length >= pathKeyLeast)
  return [text, ...userInfoOf(text), ...path, ...url.searchParams.values()].filter((part) => !isPlain.test(part))
}

/** A URL with several servers does not parse, so the password is matched by hand. */
const userInfoOf = (text: string): string[] => {
  const password = /^[a-z+.-]+:\/\/[^/@]*:([^/@]*)@/i.exec(text)?.[1]
  return password ? [password, decodeURIComponent(password)] : []
}

/** Values of connection options. They are not secret. */
const isPlain = /^(true|false|\d{1,6}|[a-z]{1,12}\d?)$/i
