import { BoundedMap } from '../../domain/bounded-map'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import type { AddressMap } from '../intake/address-map'
import type { BalanceSweep } from './sweep-balances'

type Ports = {
  sweep: BalanceSweep['sweep']
  accounts: AddressMap
  tokens: () => readonly Address[]
  now: () => number
  /** How long a named account is looked at in every round: until the transfer it was named for is confirmed. */
  hotMs: number
}

/** How many accounts one call to the lens contract takes. */
const pageMax = 5_000
const hotMax = 20_000
/** When an account is looked at again whose money could not be judged, because an order is on its way. */
const againMs = 2_000
/**
 * How long an account whose balance is explained is left out. Reading its records in every round would be most of the
 * work.
 */
const explainedMs = 20_000
const explainedMax = 50_000

/** How many times longer than planned a round may take, because slow nodes make slow beats. */
const roundsPatience = 3
const roundSlackMs = 5 * 60_000

export type SweepRounds = ReturnType<typeof sweepRounds>

/** Decides which accounts are swept: those that something named in every round, and all others page by page. */
export function sweepRounds(ports: Ports) {
  const { sweep, tokens, now } = ports
  const hot = namedAccounts(ports)
  const explainedUntil = new BoundedMap<string, number>(explainedMax)
  const unexplained = (token: Address, page: readonly Address[]): Address[] =>
    page.filter((account) => (explainedUntil.get(`${token}:${account}`) ?? 0) <= now())
  const pages = pageRounds(ports, (token, page) => look(token, unexplained(token, page)))
  let young: Address[] = []
  let ripe: Address[] = []

  async function look(token: Address, addresses: readonly Address[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += pageMax) {
      const { again, explained } = await sweep(token, addresses.slice(from, from + pageMax))
      for (const account of again) hot.ring(account, token, againMs)
      for (const account of explained) {
        explainedUntil.set(`${token}:${account}`, now() + explainedMs)
        hot.postpone(account, token, againMs)
      }
    }
  }

  async function sweepNamed(): Promise<void> {
    for (const token of hot.tokens()) await look(token, hot.due(token))
  }

  /**
   * Adds accounts that were just created. Somebody may have paid them before they existed, in blocks that are scanned
   * already. What does not fit, the pages reach.
   */
  function join(addresses: readonly Address[]): void {
    young.push(...addresses.slice(0, Math.max(0, hotMax - young.length)))
  }

  /**
   * Sweeps each new account once for every token, a round after it joined, when the sweep's highest block is past those
   * blocks.
   */
  async function sweepNewcomers(): Promise<void> {
    for (const token of ripe.length > 0 ? [zeroAddress, ...tokens()] : []) await look(token, ripe)
    ripe = young
    young = []
  }

  return { ring: hot.ring, join, sweepNamed, sweepNewcomers, ...pages }
}

/** The accounts that something named, by token, until the transfer that they were named for is confirmed. */
function namedAccounts({ now, hotMs }: Pick<Ports, 'now' | 'hotMs'>) {
  const hot = new Map<Address, Map<Address, { from: number; until: number }>>()

  function ring(account: Address, token: Address, inMs = 0): void {
    const named = hot.get(token) ?? new Map<Address, { from: number; until: number }>()
    hot.set(token, named)
    const address = account.toLowerCase() as Address
    const isPlace = named.size < hotMax || named.has(address) // the pages reach the rest
    if (isPlace) named.set(address, { from: now() + inMs, until: now() + hotMs })
  }

  function postpone(account: Address, token: Address, byMs: number): void {
    const named = hot.get(token)?.get(account)
    if (named) named.from = now() + byMs
  }

  function due(token: Address): Address[] {
    const accounts = hot.get(token) ?? new Map<Address, { from: number; until: number }>()
    for (const [account, { until }] of accounts) if (until < now()) accounts.delete(account)
    if (accounts.size === 0) hot.delete(token)
    return [...accounts].filter(([, { from }]) => from <= now()).map(([account]) => account)
  }

  return { ring, postpone, due, tokens: (): Address[] => [...hot.keys()] }
}

/** Goes round all accounts page by page, for the native coin and, beside it, for one token after another. */
function pageRounds(
  { accounts, tokens, now }: Ports,
  look: (token: Address, page: readonly Address[]) => Promise<void>,
) {
  let nativeFrom = 0
  let tokenFrom = 0
  let tokenTurn = 0
  /** When all accounts were last looked at: for the native coin, and for every token. */
  const roundAt = { native: now(), tokens: now() }
  const page = (from: number): Address[] => accounts.slice(from, from + pageMax)

  /**
   * Sweeps one page of all accounts for the native coin and one for one of the tokens. The next call continues from
   * there.
   */
  async function sweepPages(): Promise<void> {
    await look(zeroAddress, page(nativeFrom))
    nativeFrom = nativeFrom + pageMax < accounts.size ? nativeFrom + pageMax : 0
    if (nativeFrom === 0) roundAt.native = now()

    const token = tokens()[tokenTurn % Math.max(tokens().length, 1)]
    if (!token) roundAt.tokens = now()
    if (!token) return
    await look(token, page(tokenFrom))
    tokenFrom += pageMax
    if (tokenFrom < accounts.size) return
    tokenFrom = 0
    tokenTurn++
    if (tokenTurn % tokens().length === 0) roundAt.tokens = now()
  }

  /** Whether both were completed recently. A round takes as many beats as there are pages. */
  function isGoingRound(beatMs: number): boolean {
    const pages = Math.max(1, Math.ceil(accounts.size / pageMax))
    const allowed = (turns: number) => roundSlackMs + roundsPatience * pages * turns * beatMs
    const isLate = (at: number, turns: number) => at + allowed(turns) < now()
    return !isLate(roundAt.native, 1) && !isLate(roundAt.tokens, tokens().length)
  }

  return { sweepPages, isGoingRound }
}
