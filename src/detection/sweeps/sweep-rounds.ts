import { type Address, zeroAddress } from '../../domain/chain/hex'
import type { AddressMap } from '../intake/address-map'
import { boundedMap } from '../intake/bounded-map'
import type { BalanceSweep } from './sweep-balances'

type Ports = {
  sweep: BalanceSweep['sweep']
  accounts: AddressMap
  tokens: () => readonly Address[]
  now: () => number
  /** How long an account that was named is looked at in every round: until what it was named for is confirmed. */
  hotMs: number
}

/** As many as one call to the lens takes. */
const pageMax = 5_000
const hotMax = 20_000
/** Whose money could not be judged has an order on its way. */
const againMs = 2_000
/** Deposits that wait, and residue: asking the records about each in every round would be most of the work. */
const explainedMs = 20_000
const explainedMax = 50_000

/** A beat takes longer than it should when nodes are slow. */
const roundsPatience = 3
const roundSlackMs = 5 * 60_000

/** Whose turn it is: the accounts that something points to in every round, all others page by page. */
export function sweepRounds({ sweep, accounts, tokens, now, hotMs }: Ports) {
  const hot = new Map<Address, Map<Address, { from: number; until: number }>>()
  const explainedUntil = boundedMap<number>(explainedMax)
  let young: Address[] = []
  let ripe: Address[] = []
  let nativeFrom = 0
  let tokenFrom = 0
  let tokenTurn = 0
  /** When each of the two last came round, all accounts looked at: for the native coin, and for every token. */
  const roundAt = { native: now(), tokens: now() }

  function ring(account: Address, token: Address, inMs = 0): void {
    const named = hot.get(token) ?? new Map<Address, { from: number; until: number }>()
    hot.set(token, named)
    const address = account.toLowerCase() as Address
    const isPlace = named.size < hotMax || named.has(address) // the pages come to the rest
    if (isPlace) named.set(address, { from: now() + inMs, until: now() + hotMs })
  }

  function named(token: Address): Address[] {
    const accounts = hot.get(token) ?? new Map<Address, { from: number; until: number }>()
    for (const [account, { until }] of accounts) if (until < now()) accounts.delete(account)
    if (accounts.size === 0) hot.delete(token)
    return [...accounts].filter(([, { from }]) => from <= now()).map(([account]) => account)
  }

  async function look(token: Address, addresses: readonly Address[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += pageMax) {
      const { again, explained } = await sweep(token, addresses.slice(from, from + pageMax))
      for (const account of again) ring(account, token, againMs)
      for (const account of explained) {
        explainedUntil.set(`${token}:${account}`, now() + explainedMs)
        const named = hot.get(token)?.get(account)
        if (named) named.from = now() + againMs
      }
    }
  }

  const page = (token: Address, from: number): Address[] =>
    accounts.slice(from, from + pageMax).filter((account) => (explainedUntil.get(`${token}:${account}`) ?? 0) <= now())

  async function sweepNamed(): Promise<void> {
    for (const token of [...hot.keys()]) await look(token, named(token))
  }

  /** One page of all accounts for the native coin and one for one of the tokens; the next round goes on from there. */
  async function sweepPages(): Promise<void> {
    await look(zeroAddress, page(zeroAddress, nativeFrom))
    nativeFrom = nativeFrom + pageMax < accounts.size ? nativeFrom + pageMax : 0
    if (nativeFrom === 0) roundAt.native = now()

    const token = tokens()[tokenTurn % Math.max(tokens().length, 1)]
    if (!token) roundAt.tokens = now()
    if (!token) return
    await look(token, page(token, tokenFrom))
    tokenFrom += pageMax
    if (tokenFrom < accounts.size) return
    tokenFrom = 0
    tokenTurn++
    if (tokenTurn % tokens().length === 0) roundAt.tokens = now()
  }

  /** Whether both came round not long ago: a round takes as many beats as there are pages. */
  function isGoingRound(beatMs: number): boolean {
    const pages = Math.max(1, Math.ceil(accounts.size / pageMax))
    const allowed = (turns: number) => roundSlackMs + roundsPatience * pages * turns * beatMs
    const isLate = (at: number, turns: number) => at + allowed(turns) < now()
    return !isLate(roundAt.native, 1) && !isLate(roundAt.tokens, tokens().length)
  }

  /** Accounts made just now: somebody may have paid them before they existed, in blocks that are scanned already. */
  function join(addresses: readonly Address[]): void {
    young.push(...addresses.slice(0, Math.max(0, hotMax - young.length))) // the pages come to the rest
  }

  /** Each is looked at once for everything, a round after it joined, when the floor is above those blocks. */
  async function sweepNewcomers(): Promise<void> {
    for (const token of ripe.length > 0 ? [zeroAddress, ...tokens()] : []) await look(token, ripe)
    ripe = young
    young = []
  }

  return { ring, join, sweepNamed, sweepPages, sweepNewcomers, isGoingRound }
}
