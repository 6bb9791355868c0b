import type { Secrets } from './config'

/**
 * Each secret as it could stand in a line of the log: of a URL what is secret in it, for libraries say hosts, paths and
 * passwords apart from each other.
 */
export const secretTexts = (secrets: Secrets): string[] => stringsIn(secrets).flatMap(partsOf)

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** A part of a path that is as long as this is a key, or nobody's word. */
const pathKeyLeast = 16

function partsOf(text: string): string[] {
  const url = text.includes('://') ? URL.parse(text.split(',')[0]!) : null
  if (!url) return text.includes('://') ? [text, ...userInfoOf(text)] : [text]
  const path = url.pathname.split('/').filter(({ length }) => length >= pathKeyLeast)
  return [text, ...userInfoOf(text), ...path, ...url.searchParams.values()].filter((part) => !isPlain.test(part))
}

/** Several servers in one URL are no URL to a browser. */
const userInfoOf = (text: string): string[] => {
  const password = /^[a-z+.-]+:\/\/[^/@]*:([^/@]*)@/i.exec(text)?.[1]
  return password ? [password, decodeURIComponent(password)] : []
}

/** Options of a driver are no secrets. */
const isPlain = /^(true|false|\d{1,6}|[a-z]{1,12}\d?)$/i
