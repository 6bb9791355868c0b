import { Elysia } from 'elysia'
import { type BlacklistEntry, blacklistId } from '../../domain/blacklist-entry'
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
import { BlacklistEntryBody, BlacklistEntryView, blacklistEntryView, kind } from './blacklist-entry'
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
    description: 'For the platform’s operators. An existing entry is changed.',
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
    refusals: [],
  }),
}

const deleteBlacklistEntryDocs = {
  params: IdParams,
  ...operationDocs({
    operationId: 'deleteBlacklistEntry',
    tag: 'Operators',
    summary: 'Remove a security list entry',
    description: 'For the platform’s operators.',
    roles: operatorOnly.roles,
    query: ReasonQuery,
    isMutation: true,
    answers: { 204: { view: null, description: 'The entry is removed.' } },
    refusals: ['NOT_FOUND', 'CHANGED_MEANWHILE', 'UNKNOWN_PARAMETER'],
  }),
}

const counts = ({ removedAt, expiresAt }: BlacklistEntry, now: number): boolean =>
  removedAt === null && (expiresAt === null || expiresAt > now)

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

/** Adds an entry or changes the active one. An entry that is removed or expired starts again. */
async function putEntry(
  { operator, now }: Ports,
  { caller, set }: ChangeContext,
  body: typeof BlacklistEntryBody.infer,
) {
  const { kind, listedAs, reason, chainId: of = null, address: named } = body
  const { chainId, address } = storedSubject({ kind, chainId: of, address: named })
  const id = blacklistId(kind, chainId, address)
  const expiresAt = futureTimeOf('expiresAt', body.expiresAt, now())
  const details = { listedAs, expiresAt: isoTimeOrNull(expiresAt) }
  const operationRequest = requestOf(caller, reason, set)
  await noteVerb(operator, caller, operationRequest, { verb: 'blacklist.put', target: id, at: now(), details })
  let wasThere = false
  const stored = await rewrite(operator.blacklistEntries, id, (blacklistEntry) => {
    wasThere = blacklistEntry !== null && counts(blacklistEntry, now())
    const at = now()
    const source = 'OPERATOR' as const
    const since = {
      version: blacklistEntry?.version ?? 0,
      createdAt: wasThere ? blacklistEntry!.createdAt : at,
      updatedAt: at,
    }
    return { id, kind, chainId, address, listedAs, source, reason, expiresAt, ...since, removedAt: null }
  })
  return { status: wasThere ? 200 : 201, view: blacklistEntryView(stored!) } as const
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
  const id = exact && counts(exact, now()) ? named : storedId(named)
  const blacklistEntry = id === named ? exact : await blacklistEntries.load(id)
  if (!blacklistEntry) throw new Refusal('NOT_FOUND')
  assureSeen(blacklistEntry, version)
  const operationRequest = requestOf(caller, reason, set)
  await noteVerb(operator, caller, operationRequest, { verb: 'blacklist.delete', target: id, at: now() })
  await rewrite(blacklistEntries, id, (current) => {
    if (!current || current.removedAt !== null) return null
    assureSeen(current, version)
    return { ...current, removedAt: now(), updatedAt: now() }
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
        return answer({ request, set }, bodyOf({ set }, page, blacklistEntryView))
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
