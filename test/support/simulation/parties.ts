import { addressOf } from '../deposits'

/** Lanes with the usual deposits. */
export const laneCount = 3
/** The provider never serves this lane. Its deposits must still end. */
export const forsakenLane = laneCount
/** Additional lanes in a rush. */
export const rushLanes = 10
/** Lane of the villain, and of a lane whose deposits are large. No other deposits arrive there. */
export const [villainLane, largeLane] = [100, 101]

/** Protocol fee of every API key in this world. */
export const protocolFeeBps = 100
/** Gas fee in any token of this world, buffer included: almost nothing, rounded up. */
export const gasFeeMostRaw = 1n
export const faultsEndMs = 10 * 60_000
/** Earliest time at which the security list gets the villain. */
export const listedAfterMs = 150_000

export const keys = ['key-0', 'key-1'].map((id, n) => ({ id, address: addressOf(0xee00 + n) }))
export const sanctioned = addressOf(0x5a)
/** Listed while its money lies in an account, after a deposit that found no route. */
export const villain = addressOf(0x5b)
/** Sends every other deposit. */
export const customer = addressOf(0x5e)
export const targetToken = addressOf(0x71)

export const accountOf = (lane: number) => addressOf(0xac00 + lane)
export const userOf = (account: string): string => `user-${Number(account) - Number(accountOf(0))}`
export const isForsaken = (account: string): boolean => account === accountOf(forsakenLane)

/** Native fee of an account's bridge routes, in wei: 200 units of any token here, for every second account. */
export const nativeFeeOf = (account: string): bigint => (BigInt(account) % 2n === 0n ? 200n * 10n ** 12n : 0n)

/** Whether each chain has two nodes. In every other world one node decides, as on a chain with one. */
export const hasSecond = (seed: number): boolean => seed % 2 === 0

/** Whether all deposits arrive together, as in one world of three. Many orders then need nonces at the same moment. */
export const isRush = (seed: number): boolean => seed % 3 === 0
