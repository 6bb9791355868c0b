import { type Address, zeroAddress } from '../domain/hex'
import type { AddressMap } from './address-map'
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

export type SweepRounds = ReturnType<typeof sweepRounds>

/** Whose turn it is: the accounts that something points to in every round, all others page by page. */
export function sweepRounds({ sweep, accounts, tokens, now, hotMs }: Ports) {
  const hot = new Map<Address, Map<Address, number>>()
  let young: Address[] = []
  let ripe: Address[] = []
  let nativeFrom = 0
  let tokenFrom = 0
  let tokenTurn = 0

  function ring(account: Address, token: Address): void {
    const named = hot.get(token) ?? new Map<Address, number>()
    hot.set(token, named)
    if (named.size < hotMax) named.set(account.toLowerCase() as Address, now() + hotMs) // the pages come to the rest
  }

  function named(token: Address): Address[] {
    const until = hot.get(token)
    if (!until) return []
    for (const [account, end] of until) if (end < now()) until.delete(account)
    if (until.size === 0) hot.delete(token)
    return [...until.keys()]
  }

  async function look(token: Address, addresses: readonly Address[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += pageMax) {
      const { again } = await sweep(token, addresses.slice(from, from + pageMax))
      for (const account of again) ring(account, token)
    }
  }

  async function sweepNamed(): Promise<void> {
    for (const token of [...hot.keys()]) await look(token, named(token))
  }

  /** One page of all accounts for the native coin and one for one of the tokens; the next round goes on from there. */
  async function sweepPages(): Promise<void> {
    await look(zeroAddress, accounts.slice(nativeFrom, nativeFrom + pageMax))
    nativeFrom = nativeFrom + pageMax < accounts.size ? nativeFrom + pageMax : 0

    const token = tokens()[tokenTurn % Math.max(tokens().length, 1)]
    if (!token) return
    await look(token, accounts.slice(tokenFrom, tokenFrom + pageMax))
    tokenFrom += pageMax
    if (tokenFrom < accounts.size) return
    tokenFrom = 0
    tokenTurn++
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

  return { ring, join, sweepNamed, sweepPages, sweepNewcomers }
}
