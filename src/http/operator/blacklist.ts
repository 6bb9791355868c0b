import { Elysia } from 'elysia'
import { type BlacklistEntry, blacklistId, entryAt, listsOf, withoutDecision } from '../../domain/blacklist-entry'
import { type ChainId, chainIds, chains } from '../../domain/chain/chain'
import { rewrite } from '../../domain/concurrency'
import { tokenNamed } from '../../domain/money/token'
import { type } from '../../domain/schema'
import type { IdempotentRequests } from '../../ports/limits'
import type { PagePosition } from '../../ports/records'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import type { Gate } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { idempotent } from '../request/idempotent'
import { bodyOf, orderedQuery, pageOf, readListQuery } from '../request/page'
import { readQuery } from '../request/query'
import { assureSeen } from '../request/seen'
import { asText } from '../routes/deposits'
import { example } from '../views/examples'
import { AddressFilter, ChainIdFilter } from '../views/filter'
import { described, IdParams, isoTimeOrNull } from '../views/scalar'
import { assurePlatform, operatorOnly, operatorVerbs } from './access'
import { BlacklistEntryBody, BlacklistEntryView, blacklistEntryView, entryVersionOf, kind } from './blacklist-entry'
import { futureTimeOf } from './future-time'
import { noteVerb } from './note-verb'
import type { OperatorPorts } from './ports'
import { ReasonQuery } from './reason'
import { type ChangeContext, requestOf } from './request-context'

type Ports = {
  operator: Pick<OperatorPorts, 'blacklistEntries' | 'auditLog' | 'newId'>
  idempotency: IdempotentRequests
  now: () => number
}

const Query = type({
  ...orderedQuery,
  'kind?': described(kind, 'Only entries of this kind', 'TOKEN'),
  'chainId?': ChainIdFilter('Only entries for this chain'),
  'address?': AddressFilter('Only entries for this address', example.sender),
})

const listBlacklistDocs = operationDocs({
  operationId: 'listBlacklist',
  tag: 'Operators',
  summary: 'List the security list',
  description: 'Newest first unless `order` is `oldest`. Checked for each intent, deposit and signature.',
  roles: operatorOnly.roles,
  query: Query,
  answers: {
    200: { rows: BlacklistEntryView, description: 'The entries.', headers: ['etag'] },
  },
  refusals: ['INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
})

const putBlacklistEntryDocs = {
  body: BlacklistEntryBody,
  ...operationDocs({
    operationId: 'putBlacklistEntry',
    tag: 'Operators',
    summary: 'Add or change a security list entry',
    description: 'For the platform’s operators. An existing entry is replaced only if its `version` is named.',
    roles: operatorOnly.roles,
    bodyExample: {
      kind: 'TOKEN',
      chainId: chains.base.id,
      address: example.sender,
      listedAs: 'SCAM',
      reason: 'It imitates another token',
      expiresAt: null,
    },
    isMutation: true,
    answers: {
      200: { view: BlacklistEntryView, description: 'The entry was changed.' },
      201: { view: BlacklistEntryView, description: 'The entry was added.' },
    },
    refusals: ['CHANGED_MEANWHILE'],
  }),
}

const deleteBlacklistEntryDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'deleteBlacklistEntry',
    tag: 'Operators',
    summary: 'Remove a security list entry',
    description: 'For the platform’s operators. An imported list that contains it counts again.',
    roles: operatorOnly.roles,
    query: ReasonQuery,
    isMutation: true,
    answers: { 204: { view: null, description: 'The entry is removed.' } },
    refusals: ['NOT_FOUND', 'CHANGED_MEANWHILE', 'UNKNOWN_PARAMETER'],
  }),
}

type Subject = { kind: BlacklistEntry['kind']; chainId: ChainId | null; address: string }

/** Returns the chain and the address under which an entry is stored. */
function storedSubject({ kind, ...named }: Subject) {
  const { chainId, address } = kind === 'TOKEN' ? tokenNamed(named) : named
  return { chainId, address: address.toLowerCase() }
}

/** Returns the id of the entry that a path names. Every name of a chain's coin leads to the same entry. */
function storedId(id: string): string {
  const [kind, chain, address = '', ...rest] = id.split(':')
  const chainId = chainIds.find((each) => String(each) === chain) ?? null
  const isToken = kind === 'token' && rest.length === 0 && (chainId !== null || chain === 'all')
  if (!isToken) return id
  const subject = storedSubject({ kind: 'TOKEN', chainId, address })
  return blacklistId('TOKEN', subject.chainId, subject.address)
}

/** Returns the filters with the stored form of a token, unless they name another address. */
function withSubject<Filters extends { kind?: BlacklistEntry['kind']; chainId?: ChainId; address?: string }>(
  filters: Filters,
): Filters {
  const { kind = 'TOKEN', chainId: of = null, address: named } = filters
  if (named === undefined) return filters
  const { chainId, address } = storedSubject({ kind, chainId: of, address: named })
  return { ...filters, address, ...(chainId !== null && { chainId }) }
}

/** Refuses to replace an entry that its author did not see. Without a version, an entry can only be added. */
function assureSeenEntry(stored: BlacklistEntry | null, seen: string | null, at: number): void {
  const entry = stored?.removedAt === null ? stored : null
  const current = entry && entryAt(entry, at)
  if (seen === null) {
    if (!current) return
    const message = `It is listed already as ${current.listedAs}. To replace it, name its version: ${entryVersionOf(entry, at)}`
    throw new Refusal('CHANGED_MEANWHILE', { message })
  }
  if (!entry) throw new Refusal('CHANGED_MEANWHILE', { message: 'The entry was removed' })
  assureSeen(entry, seen, entryVersionOf(entry, at))
}

/** Adds an entry, or replaces the one that was seen. Imported lists stay, and count again when the decision ends. */
async function putEntry(
  { operator, now }: Ports,
  { caller, set }: ChangeContext,
  body: typeof BlacklistEntryBody.infer,
) {
  const { kind, listedAs, reason, chainId: of = null, address: named, version = null } = body
  const { chainId, address } = storedSubject({ kind, chainId: of, address: named })
  const id = blacklistId(kind, chainId, address)
  const expiresAt = futureTimeOf('expiresAt', body.expiresAt, now())
  const details = { listedAs, expiresAt: isoTimeOrNull(expiresAt) }
  assureSeenEntry(await operator.blacklistEntries.load(id), version, now())
  const operationRequest = requestOf(caller, reason, set)
  await noteVerb(operator, caller, operationRequest, { verb: 'blacklist.put', target: id, at: now(), details })
  let wasThere = false
  const stored = await rewrite(operator.blacklistEntries, id, (blacklistEntry) => {
    const at = now()
    assureSeenEntry(blacklistEntry, version, at)
    const current = blacklistEntry && entryAt(blacklistEntry, at)
    wasThere = current !== null
    const source = 'OPERATOR' as const
    const since = { version: blacklistEntry?.version ?? 0, createdAt: current?.createdAt ?? at, updatedAt: at }
    const decision = { id, kind, chainId, address, listedAs, source, reason, expiresAt, ...since, removedAt: null }
    return { ...decision, ...(current && listsOf(current)) }
  })
  return { status: wasThere ? 200 : 201, view: blacklistEntryView(stored!, now()) } as const
}

async function removeEntry(
  { operator, now }: Ports,
  { caller, set }: ChangeContext,
  named: string,
  { reason, version }: typeof ReasonQuery.infer,
) {
  const { blacklistEntries } = operator
  // An earlier release stored entries under other names of a coin.
  const exact = await blacklistEntries.load(named)
  const id = exact && entryAt(exact, now()) ? named : storedId(named)
  const blacklistEntry = id === named ? exact : await blacklistEntries.load(id)
  if (!blacklistEntry) throw new Refusal('NOT_FOUND')
  assureSeen(blacklistEntry, version, entryVersionOf(blacklistEntry, now()))
  const operationRequest = requestOf(caller, reason, set)
  await noteVerb(operator, caller, operationRequest, { verb: 'blacklist.delete', target: id, at: now() })
  await rewrite(blacklistEntries, id, (current) => {
    if (!current || current.removedAt !== null) return null
    const at = now()
    assureSeen(current, version, entryVersionOf(current, at))
    const isDecision = entryAt(current, at) === current
    return { ...((isDecision && withoutDecision(current)) || { ...current, removedAt: at }), updatedAt: at }
  })
  return { status: 204, view: null } as const
}

/** The platform's security list. A change reaches every process within a second (extensions 9.1). */
export function operatorBlacklist(ports: Ports, gate: Gate, prefix: string) {
  const { operator, idempotency, now } = ports
  const path = `${prefix}/operator/blacklist`

  return new Elysia({ prefix })
    .use(authenticate(gate, operatorVerbs))
    .get(
      '/operator/blacklist',
      async ({ request, set }) => {
        const { listed, filters: named } = readListQuery(request, Query, true)
        const filters = withSubject(named)
        const page = await pageOf(
          { request, set },
          { path, filters: asText(filters), listed },
          (page) => operator.blacklistEntries.list(filters, page),
          positionOfEntry,
        )
        return answer(
          { request, set },
          bodyOf({ set }, page, (entry) => blacklistEntryView(entry, now())),
        )
      },
      listBlacklistDocs,
    )
    .post(
      '/operator/blacklist',
      async ({ body, caller, request, path, set }) => {
        assurePlatform(caller)
        return idempotent(idempotency, now, { request, path, set }, { caller, body }, () =>
          putEntry(ports, { caller, set }, body),
        )
      },
      putBlacklistEntryDocs,
    )
    .delete(
      '/operator/blacklist/:id',
      async ({ params: { id }, caller, request, path, set }) => {
        assurePlatform(caller)
        const query = readQuery(request, ReasonQuery, true)
        return idempotent(idempotency, now, { request, path, set }, { caller, body: query }, () =>
          removeEntry(ports, { caller, set }, id, query),
        )
      },
      deleteBlacklistEntryDocs,
    )
}

const positionOfEntry = ({ createdAt, id }: BlacklistEntry): PagePosition => ({ createdAt, id })
