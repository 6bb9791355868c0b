import { Subject } from 'rxjs'
import { getAddress } from 'viem/utils'
import { BoundedMap } from '../../domain/bounded-map'
import type { Account } from '../../domain/chain/account'
import type { Address } from '../../domain/chain/hex'
import type { Accounts } from '../../ports/tenants'
import { type PackedAddresses, packedAddresses } from './packed-addresses'

/** What a detector needs to know of an account. None of it ever changes. */
export type Holder = Pick<Account, 'id' | 'organizationId' | 'userId'>

const pageMax = 20_000
const holdersMax = 10_000
/**
 * How far each kind of look reaches back before the previous look of its kind. Clocks differ, and an account is stored
 * a little after the time of its own timestamp. Long delays are rare, so the looks that allow for them are rare too.
 */
const looks = [
  { everyMs: 0, overlapMs: 5_000 },
  { everyMs: 10_000, overlapMs: 120_000 },
  { everyMs: 5 * 60_000, overlapMs: 60 * 60_000 },
  { everyMs: 60 * 60_000, overlapMs: 24 * 60 * 60_000 },
]

export type AddressMap = ReturnType<typeof addressMap>

/**
 * Every deposit address, in memory. Nearly all transfers on a chain go to somebody else, and those are recognised here;
 * the database is only asked about hits.
 */
export function addressMap({ accounts, now }: { accounts: Accounts; now: () => number }) {
  const addresses = packedAddresses()
  const holders = new BoundedMap<string, Holder>(holdersMax)
  const joined = new Subject<Address[]>()
  let isLoaded = false
  let readAts = looks.map(() => 0)

  async function look(): Promise<void> {
    const startedAt = now()
    const isDue = looks.map(({ everyMs }, n) => startedAt - readAts[n]! >= everyMs)
    const since = Math.min(...looks.flatMap(({ overlapMs }, n) => (isDue[n] ? [readAts[n]! - overlapMs] : [])))
    const news = await addCreated(addresses, accounts, isLoaded ? since : 0)
    readAts = readAts.map((at, n) => (isDue[n] ? startedAt : at))
    if (isLoaded && news.length > 0) joined.next(news)
    isLoaded = true
  }

  return {
    /** Resolves when every account is known that was stored before the call. */
    refresh: shared(look),
    has: (address: string): boolean => addresses.has(address),
    /**
     * Finds the owner of an address. The database decides, so an account that was created a moment ago is found as
     * well.
     */
    async find(address: Address): Promise<Holder | null> {
      const id = getAddress(address)
      const known = holders.get(id)
      if (known) return known
      const stored = await accounts.load(id)
      if (!stored) return null
      const holder = { id: stored.id, organizationId: stored.organizationId, userId: stored.userId }
      holders.set(id, holder)
      if (addresses.add(id)) joined.next([id])
      return holder
    },
    slice: (from: number, to: number): Address[] => addresses.slice(from, to),
    get size() {
      return addresses.size
    },
    get bytes() {
      return addresses.bytes
    },
    /** Addresses that were added after the first load. Money may be there already. */
    joined: joined.asObservable(),
  }
}

/**
 * Adds all accounts created since a time, and returns those that are new. The database answers in pages, and many
 * accounts may bear the same time.
 */
async function addCreated(addresses: PackedAddresses, accounts: Accounts, since: number): Promise<Address[]> {
  const news: Address[] = []
  let limit = pageMax
  for (let from = since; ; ) {
    const page = await accounts.createdSince(from, limit)
    for (const { id } of page) if (addresses.add(id)) news.push(id)
    if (page.length < limit) return news
    const last = page.at(-1)!.createdAt
    if (last === from) limit *= 2
    from = last
  }
}

/** Runs one look at a time. Callers that come while one is under way share the next, which begins after their call. */
function shared(look: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let following: Promise<void> | null = null

  return function run(): Promise<void> {
    if (running) {
      following ??= running
        .catch(() => {})
        .then(() => {
          following = null
          return run()
        })
      return following
    }
    running = look().finally(() => {
      running = null
    })
    return running
  }
}
