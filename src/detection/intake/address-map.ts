import { Subject } from 'rxjs'
import { getAddress } from 'viem/utils'
import { BoundedMap } from '../../domain/bounded-map'
import type { Account } from '../../domain/chain/account'
import type { Address } from '../../domain/chain/hex'
import type { Accounts } from '../../ports/tenants'

/** The fields of an account that a detector needs. None of them ever changes. */
export type Holder = Pick<Account, 'id' | 'organizationId' | 'userId'>

const pageMax = 20_000
const holdersMax = 10_000
/**
 * How long an address without an account counts as unowned, unless a refresh finds an account. Webhooks name the same
 * contracts again and again. If a new account is missed because of this, the scanner finds its deposit.
 */
const nobodysMs = 2_000
const nobodysMax = 10_000
/**
 * How far each kind of load reaches back before its previous load. Clocks differ, and an account is stored slightly
 * after its own timestamp. Long delays are rare, and so are the loads that cover them.
 */
const loads = [
  { everyMs: 0, overlapMs: 5_000 },
  { everyMs: 10_000, overlapMs: 120_000 },
  { everyMs: 5 * 60_000, overlapMs: 60 * 60_000 },
  { everyMs: 60 * 60_000, overlapMs: 24 * 60 * 60_000 },
]

export type AddressMap = ReturnType<typeof addressMap>

/**
 * Every deposit address, in memory. Nearly all transfers on a chain go to other addresses, and those are filtered out
 * here; the database is queried only about hits.
 */
export function addressMap({ accounts, now }: { accounts: Accounts; now: () => number }) {
  const addresses = packedAddresses()
  const holders = new BoundedMap<string, Holder>(holdersMax)
  const nobodys = new BoundedMap<string, number>(nobodysMax)
  const joined = new Subject<Address[]>()
  let isLoaded = false
  let readAts = loads.map(() => 0)

  async function loadNew(): Promise<void> {
    const startedAt = now()
    const isDue = loads.map(({ everyMs }, n) => startedAt - readAts[n]! >= everyMs)
    const since = Math.min(...loads.flatMap(({ overlapMs }, n) => (isDue[n] ? [readAts[n]! - overlapMs] : [])))
    const news = await addCreated(addresses, accounts, isLoaded ? since : 0)
    readAts = readAts.map((at, n) => (isDue[n] ? startedAt : at))
    if (isLoaded && news.length > 0) joined.next(news)
    isLoaded = true
  }

  return {
    /** Resolves when every account that was stored before the call is loaded. */
    refresh: shared(loadNew),
    has: (address: string): boolean => addresses.has(address),
    /**
     * Finds the owner of an address. The database decides, so a brand-new account is found as well, unless its address
     * was queried within the two seconds before.
     */
    async find(address: Address): Promise<Holder | null> {
      const id = getAddress(address)
      const cached = holders.get(id)
      if (cached) return cached
      if (!addresses.has(id) && now() < (nobodys.get(id) ?? 0)) return null
      const stored = await accounts.load(id)
      if (!stored) {
        nobodys.set(id, now() + nobodysMs)
        return null
      }
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
    /** Addresses that were added after the first load. They may already hold money. */
    joined: joined.asObservable(),
  }
}

/**
 * Adds all accounts created since a time, and returns the new ones. The database responds in pages, and many accounts
 * may have the same time.
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

/** Runs one load at a time. Callers that arrive during a load share the next one, which starts after their call. */
function shared(loadNew: () => Promise<void>): () => Promise<void> {
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
    running = loadNew().finally(() => {
      running = null
    })
    return running
  }
}

const wordsPerAddress = 5
const fullness = 0.75
const nothing = 0xffffffff

type PackedAddresses = ReturnType<typeof packedAddresses>

/** A set of addresses in two typed arrays: 20 bytes for each address, and an index. It only grows. */
export function packedAddresses() {
  let words = new Uint32Array(1024 * wordsPerAddress)
  let index = new Uint32Array(2048).fill(nothing)
  let size = 0
  const wanted = new Uint32Array(wordsPerAddress)

  /** Returns the slot of the wanted address in the index, or the free slot where it belongs. */
  function placeOf(): number {
    const mask = index.length - 1
    let place = (Math.imul(wanted[0]! ^ wanted[4]!, 0x9e3779b1) >>> 0) & mask
    while (index[place] !== nothing && !isAt(index[place]!)) place = (place + 1) & mask
    return place
  }

  function isAt(position: number): boolean {
    const start = position * wordsPerAddress
    for (let n = 0; n < wordsPerAddress; n++) if (words[start + n] !== wanted[n]) return false
    return true
  }

  function grow(): void {
    index = new Uint32Array(index.length * 2).fill(nothing)
    for (let position = 0; position < size; position++) {
      wanted.set(words.subarray(position * wordsPerAddress, (position + 1) * wordsPerAddress))
      index[placeOf()] = position
    }
  }

  return {
    get size() {
      return size
    },
    get bytes() {
      return words.byteLength + index.byteLength
    },
    has: (address: string): boolean => readInto(wanted, address) && index[placeOf()] !== nothing,
    /** @returns Whether the address is new. */
    add(address: string): boolean {
      if (size + 1 > index.length * fullness) grow()
      if (!readInto(wanted, address)) return false
      const place = placeOf()
      if (index[place] !== nothing) return false
      if ((size + 1) * wordsPerAddress > words.length) {
        const wider = new Uint32Array(words.length * 2)
        wider.set(words)
        words = wider
      }
      words.set(wanted, size * wordsPerAddress)
      index[place] = size++
      return true
    },
    /** Returns addresses in lower case, in the order in which they were added. */
    slice(from: number, to: number): `0x${string}`[] {
      const slice = words.slice(from * wordsPerAddress, Math.max(from, Math.min(to, size)) * wordsPerAddress)
      // Bun runs only on little-endian machines.
      const digits = Buffer.from(slice.buffer).swap32().toString('hex')
      return Array.from({ length: digits.length / 40 }, (_, n) => `0x${digits.slice(n * 40, n * 40 + 40)}` as const)
    },
  }
}

/** @returns Whether it has the length of an address. */
function readInto(wanted: Uint32Array, address: string): boolean {
  if (address.length !== 42) return false
  for (let n = 0; n < wordsPerAddress; n++) wanted[n] = Number.parseInt(address.slice(2 + n * 8, 10 + n * 8), 16)
  return true
}
