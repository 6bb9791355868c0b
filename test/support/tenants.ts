import { keepingReplaced } from '../../src/adapters/mongo/engine/inserted-once'
import type { BlacklistEntry } from '../../src/domain/blacklist-entry'
import type { Account } from '../../src/domain/chain/account'
import type { Address } from '../../src/domain/chain/hex'
import type { DepositIntent } from '../../src/domain/deposit/deposit-intent'
import { type HeldChange, isOpen, type RequestedChange } from '../../src/domain/deposit/held-change'
import type { ApiKey } from '../../src/domain/tenant/api-key'
import { emptyChain, type LinkedEntry, linked } from '../../src/domain/tenant/audit-chain'
import type { Organization } from '../../src/domain/tenant/organization'
import { userIdParts } from '../../src/domain/tenant/user-id-parts'
import type { BlacklistEntries } from '../../src/ports/operators'
import type {
  Accounts,
  ApiKeys,
  AuditLog,
  DepositIntents,
  HeldChanges,
  IntentHistory,
  Organizations,
} from '../../src/ports/tenants'
import { isMatch, page } from './queries'
import { type Marks, recordsOf } from './records'
import { undecidedIn } from './undecided'

const oldestFirst = (a: { createdAt: number }, b: { createdAt: number }) => a.createdAt - b.createdAt

export function organizationsInMemory(...records: Organization[]) {
  const kept = recordsOf<Organization>('organizations', ...records)
  const port: Organizations = {
    ...kept,
    all: async () => kept.all().toSorted(oldestFirst),
    list: async (wanted) => page(kept.all(), ({ createdAt }) => createdAt, wanted),
  }
  return { ...kept, ...port }
}

export function apiKeysInMemory(...records: ApiKey[]) {
  const kept = recordsOf<ApiKey>('apiKeys', ...records)
  const port: ApiKeys = {
    load: kept.load,
    save: kept.save,
    findByDigest: async (digest) => kept.all().find((key) => key.digest === digest) ?? null,
    ofOrganization: async (organizationId) =>
      kept
        .all()
        .filter((key) => key.organizationId === organizationId)
        .toSorted((a, b) => oldestFirst(b, a)),
    async markUsed(id, at) {
      kept.change(id, { lastUsedAt: Math.max(at, kept.get(id).lastUsedAt ?? 0) })
    },
  }
  return { ...kept, ...port }
}

/** @param namedBy returns the accounts whose intents name an address. */
export function accountsInMemory(namedBy: (address: Address) => string[] = () => []) {
  const kept = recordsOf<Account>('accounts')
  const port: Accounts = {
    load: kept.load,
    save: kept.save,
    findByUser: async (organizationId, userId) =>
      kept.all().find((account) => account.organizationId === organizationId && account.userId === userId) ?? null,
    beginningWith: async ({ organizationId }, userId, limit) =>
      kept
        .all()
        .filter((one) => (organizationId ?? one.organizationId) === one.organizationId && one.userId.startsWith(userId))
        .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
        .slice(0, limit),
    withPart: async ({ organizationId }, text, limit) =>
      kept
        .all()
        .filter((one) => (organizationId ?? one.organizationId) === one.organizationId)
        .filter(({ userId }) => placeIn(userId, text) >= 0)
        .toSorted((a, b) => placeIn(a.userId, text) - placeIn(b.userId, text))
        .slice(0, limit),
    paying: async ({ organizationId }, address, limit) =>
      kept
        .all()
        .filter((one) => (organizationId ?? one.organizationId) === one.organizationId)
        .filter(({ id }) => namedBy(address).includes(id))
        .slice(0, limit),
    createdSince: async (time, limit) =>
      kept
        .all()
        .filter(({ createdAt }) => createdAt >= time)
        .toSorted(oldestFirst)
        .slice(0, limit),
  }
  return { ...kept, ...port }
}

export function intentsInMemory(...records: DepositIntent[]) {
  const kept = recordsOf<DepositIntent>('intents', ...records)
  const versions = new Map<string, DepositIntent>()
  const port: DepositIntents = keepingReplaced(kept, async (intent) => {
    const name = `${intent.id}:${intent.version}`
    if (!versions.has(name)) versions.set(name, intent)
  })
  const previousOf = ({ id, version }: DepositIntent) => versions.get(`${id}:${version - 1}`) ?? null
  const history: IntentHistory = {
    replaced: async (of, before, limit) =>
      [...versions.values()]
        .filter(({ id, version }) => id === of && version < before)
        .toSorted((a, b) => b.version - a.version)
        .slice(0, limit),
    async versionsOf(marks) {
      const all = new Map([...kept.all(), ...versions.values()].map((one) => [`${one.id}:${one.version}`, one]))
      return marks
        .flatMap(({ id, version }) => all.get(`${id}:${version}`) ?? [])
        .map((intent) => ({ intent, previous: previousOf(intent) }))
    },
  }
  const naming = (address: Address): string[] =>
    [...kept.all(), ...versions.values()]
      .filter(({ targetAddress, refundAddress }) => [targetAddress, refundAddress].includes(address))
      .map(({ id }) => id)
  return { ...kept, ...port, history, naming }
}

export function heldChangesInMemory(): HeldChanges & { all(): HeldChange[]; marks: Marks } {
  const kept = recordsOf<HeldChange>('heldChanges')
  const asked = new Map<string, RequestedChange>()
  const keep = ({ id, organizationId, userId, target, of, askedAt, from }: HeldChange): void => {
    const name = `${id}:${askedAt}`
    if (!asked.has(name)) asked.set(name, { id, organizationId, userId, target, of, askedAt, from })
  }
  const waiting = () => kept.all().filter(({ state }) => state === 'WAITING')
  return {
    ...kept,
    ...keepingReplaced(kept, async (change) => keep(change)),
    async requestedOf(account) {
      kept.all().forEach(keep)
      return [...asked.values()].filter(({ id }) => id === account)
    },
    waiting: async (organizationId) =>
      waiting()
        .filter((each) => each.organizationId === organizationId)
        .toSorted((a, b) => b.askedAt - a.askedAt),
    due: async (now, limit) =>
      kept
        .all()
        .filter(isOpen)
        .filter(({ from }) => from !== null && from <= now)
        .toSorted((a, b) => a.from! - b.from!)
        .slice(0, limit),
  }
}

export function blacklistInMemory(...records: BlacklistEntry[]) {
  const kept = recordsOf<BlacklistEntry>('blacklist', ...records)
  const port: BlacklistEntries = {
    load: kept.load,
    save: kept.save,
    changedSince: async (time) =>
      kept
        .all()
        .filter(({ updatedAt }) => updatedAt >= time)
        .toSorted((a, b) => a.updatedAt - b.updatedAt),
    list: async (filter, wanted) =>
      page(
        kept
          .all()
          .filter(
            (entry) =>
              entry.removedAt === null &&
              isMatch(filter.kind, entry.kind) &&
              isMatch(filter.chainId, entry.chainId) &&
              isMatch(filter.address?.toLowerCase(), entry.address),
          ),
        ({ createdAt }) => createdAt,
        wanted,
      ),
  }
  return { ...kept, ...port }
}

export function auditLogInMemory() {
  const entries: LinkedEntry[] = []
  const port: AuditLog = {
    async append(entry) {
      const { organizationId } = entry
      const [undecided] = undecidedIn(entry)
      if (undecided) throw new Error(`Decide in audit-texts.ts whether such a text stays for ever: ${undecided}`)
      const last = entries.findLast((each) => each.organizationId === organizationId)
      if (entries.every(({ id }) => id !== entry.id)) entries.push(linked(entry, last ?? emptyChain(organizationId)))
    },
  }
  return { ...port, entries }
}

const placeIn = (userId: string, text: string): number =>
  userIdParts(userId).findIndex((part) => part.startsWith(text.toLowerCase()))
