import type { ChainHead, LinkedEntry } from '../../domain/tenant/audit-chain'
import type { AuditName } from '../../domain/tenant/audit-pseudonyms'
import { Failure } from '../terminal/failure'

/** A line of an export: an entry, a pseudonym's name, or the head of the chain before the first entry. */
export type Line =
  | { name: AuditName }
  | { head: ChainHead & { organizationId: string } }
  | (Omit<LinkedEntry, 'at'> & { at: string })

const fieldsOfHead = ['organizationId', 'seq', 'hash']
const fieldsOfName = ['organizationId', 'stand', 'name', 'salt']
const fieldsOfActor = ['kind', 'id', 'label']
const fieldsOfEntry = [
  ...['organizationId', 'seq', 'at', 'actor', 'verb', 'target', 'reason', 'details', 'requestId'],
  ...['id', 'previousHash', 'hash'],
]

const isMadeOf = (value: unknown, fields: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((field) => fields.includes(field))

const isTime = (at: unknown): boolean =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at

/**
 * Parses a line. It rejects data that no hash covers: unknown fields, and repeated fields, which readers resolve
 * differently.
 */
export function lineOf(text: string, number: number): Line {
  const line = parsed(text)
  const { head, name, actor, at } = (line ?? {}) as Record<string, unknown>
  const isHead = isMadeOf(line, ['head']) && isMadeOf(head, fieldsOfHead)
  const isOfName = isMadeOf(line, ['name']) && isMadeOf(name, fieldsOfName) && isName(name)
  const isEntry = isMadeOf(line, fieldsOfEntry) && isMadeOf(actor, fieldsOfActor) && isTime(at)
  if ((isHead || isOfName || isEntry) && JSON.stringify(line) === text) return line as Line
  throw new Failure(`Line ${number} is not a line of an export in JSON lines.`)
}

function isName(name: unknown): boolean {
  const { organizationId, stand, name: text, salt = null } = name as Record<string, unknown>
  return [organizationId, stand, text, salt ?? ''].every((each) => typeof each === 'string')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
