import { BoundedMap } from '../../domain/bounded-map'
import { addressesIn } from '../../domain/tenant/address-range'
import { type ApiKey, hasEnded, isExpired } from '../../domain/tenant/api-key'
import { apiKeyDigest, apiKeyLength, isApiKeyText } from '../../domain/tenant/api-key-format'
import { maySponsorGas, type Organization, planOf } from '../../domain/tenant/organization'
import type { ApiKeys, Organizations } from '../../ports/tenants'
import type { Caller, Gate } from './caller'
import { Refusal, type RefusalCode } from './failure'
import type { CountIn } from './limits'
import { type AddressOf, strangers } from './strangers'

type Keys = {
  apiKeys: ApiKeys
  organizations: Organizations
  countIn: CountIn
  addressOf: AddressOf
  /** Records for the organization that its valid key text was refused. The request does not wait for it. */
  noteRefused: (key: ApiKey, why: RefusalCode, address: string | null) => void
  isSandbox: boolean
  now: () => number
}

const noteEveryMs = 60_000
const notedMax = 20_000
/** Limit of invalid keys that one network may try, and the period in seconds. */
const triesMax = { points: 1_000, duration: 10 }

/** Stores when a key was last used, at most once a minute rather than at every request. */
function usesNoted({ apiKeys, now }: Pick<Keys, 'apiKeys' | 'now'>) {
  const notedAt = new BoundedMap<string, number>(notedMax)
  return (key: ApiKey): void => {
    const at = now()
    if (at - Math.max(key.lastUsedAt ?? 0, notedAt.get(key.id) ?? 0) < noteEveryMs) return
    notedAt.set(key.id, at)
    apiKeys.markUsed(key.id, at).catch(() => notedAt.delete(key.id))
  }
}

const callerOf = ({ key, organization }: KeyWithOrganization): Omit<Caller, 'isAdmitted'> => ({
  organization,
  tenant: organization.isPlatform && key.role === 'OPERATOR' ? null : organization.id,
  actor: { kind: 'API_KEY', id: key.id, label: key.label },
  personId: key.createdBy,
  terms: {
    protocolFeeBps: key.protocolFeeBps,
    // Intents copy this setting. A key from an earlier plan must not grant what the current plan lacks.
    sponsoredGas: key.sponsoredGas && maySponsorGas(organization),
  },
})

const matchers = new WeakMap<readonly string[], (address: string) => boolean>()

/** Whether a key may be used from an address. The ranges of a key are prepared once. */
function isAllowed({ allowedAddresses: ranges = [] }: ApiKey, address: string | undefined): boolean {
  if (ranges.length === 0) return true
  const matches = matchers.get(ranges) ?? addressesIn(ranges)
  matchers.set(ranges, matches)
  return address !== undefined && matches(address)
}

/** Admits a request by its `x-api-key` (interface 5; decisions 19, 20). */
export function keyGate({ apiKeys, organizations, countIn, addressOf, noteRefused, isSandbox, now }: Keys): Gate {
  const find = keyCache(async (digest) => {
    const key = await apiKeys.findByDigest(digest)
    if (!key) return null
    const organization = await organizations.load(key.organizationId)
    return organization && { key, organization }
  }, now)
  const { refuse } = strangers(addressOf, triesMax)
  const noteUse = usesNoted({ apiKeys, now })
  const callers = new WeakMap<KeyWithOrganization, Omit<Caller, 'isAdmitted'>>()

  /** Returns why an existing key is refused; null if it may be used from this address. */
  function objectionTo(key: ApiKey, address: string | undefined): RefusalCode | null {
    if (hasEnded(key, now())) return isExpired(key) ? 'API_KEY_EXPIRED' : 'INVALID_API_KEY'
    return isAllowed(key, address) ? null : 'ADDRESS_NOT_ALLOWED'
  }

  /** Returns the caller. An open stream is checked by its own reader's address, also if ranges are added later. */
  function cachedCaller(owned: KeyWithOrganization, request: Request): Caller {
    const caller = callers.get(owned) ?? callerOf(owned)
    callers.set(owned, caller)
    const address = addressOf(request)
    const isAdmitted = async () => {
      const current = await find(owned.key.digest)
      return current !== null && objectionTo(current.key, address) === null
    }
    return { ...caller, isAdmitted }
  }

  return (call, { roles, rateClass }) => {
    const text = call.request.headers.get('x-api-key')
    if (!text) throw new Refusal('MISSING_API_KEY')
    if (text.length !== apiKeyLength) return refuse(call.request, 'INVALID_API_KEY')
    const enter = (owned: KeyWithOrganization | null): Caller | Promise<never> => {
      if (!owned) return refuse(call.request, 'INVALID_API_KEY')
      const { key, organization } = owned
      const address = key.allowedAddresses?.length ? addressOf(call.request) : undefined
      const objection = objectionTo(key, address)
      if (objection !== null) {
        if (objection !== 'INVALID_API_KEY') noteRefused(key, objection, addressOf(call.request) ?? null)
        return refuse(call.request, objection)
      }
      call.set.keyId = key.id
      const { rates } = planOf(organization)
      countIn(key.id, rateClass ?? (call.request.method === 'GET' ? 'R' : 'W'), rates, call.set.headers)
      if (!roles.includes(key.role)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
      noteUse(key)
      return cachedCaller(owned, call.request)
    }
    // The checksum of a key is verified only if the key is not cached, and before any store is queried.
    const result = find(apiKeyDigest(text), () => isApiKeyText(text, isSandbox))
    return result instanceof Promise ? result.then(enter) : enter(result)
  }
}

/** An API key with its organization, as recently stored. */
export type KeyWithOrganization = { key: ApiKey; organization: Organization }
type LoadKey = (digest: string) => Promise<KeyWithOrganization | null>

/**
 * An entry older than `staleMs` is refreshed in the background; an entry older than `ageMaxMs` is not used (decision
 * 19).
 */
const staleMs = 350
const ageMaxMs = 700
const cachedMax = 20_000
const unknownMax = 2_000

type Entry = { owned: KeyWithOrganization | null; requestedAt: number }

/**
 * Caches keys by digest. A hit is synchronous, and a miss is loaded once however many callers wait for it. Ages count
 * from the start of the load, so a slow load does not let a revoked key live longer. Unknown digests have their own
 * small cache, so a flood of them evicts no valid key.
 */
export function keyCache(load: LoadKey, now: () => number) {
  const entries = new BoundedMap<string, Entry>(cachedMax)
  const unknown = new BoundedMap<string, Entry>(unknownMax)
  const asking = new Map<string, Promise<KeyWithOrganization | null>>()

  function ask(digest: string): Promise<KeyWithOrganization | null> {
    const running = asking.get(digest)
    if (running) return running
    const requestedAt = now()
    const loading = load(digest)
      .then((owned) => {
        entries.delete(digest)
        unknown.delete(digest)
        const place = owned ? entries : unknown
        place.set(digest, { owned, requestedAt })
        return owned
      })
      .finally(() => asking.delete(digest))
    asking.set(digest, loading)
    return loading
  }

  /** @param canBe Called before a digest that is not cached is loaded. False returns null without loading. */
  return (digest: string, canBe = () => true): KeyWithOrganization | null | Promise<KeyWithOrganization | null> => {
    const entry = entries.get(digest) ?? unknown.get(digest)
    if (!entry && !canBe()) return null
    const age = entry ? now() - entry.requestedAt : Number.POSITIVE_INFINITY
    if (age >= ageMaxMs) return ask(digest)
    // If this refresh fails, the first caller after the entry's expiry gets the error.
    if (age >= staleMs && !asking.has(digest)) ask(digest).catch(() => {})
    return entry!.owned
  }
}
