import { accountAddressOf, accountSaltOf, implementationAddressOf } from '../../../src/domain/chain/account'
import type { Address, Hash } from '../../../src/domain/chain/hex'
import { usdcOf } from '../../../src/protocols/lifi/diamond'
import { addressOf, hashOf, token } from '../deposits'

/** Lanes with the usual deposits. */
export const laneCount = 3
/** The provider serves this lane only after a deposit has ended there, which takes all its retries. */
export const abandonedLane = laneCount
/** Additional lanes in a rush. */
export const rushLanes = 10
/** Lanes of the villain and of large deposits. They get only these deposits. */
export const [villainLane, largeLane] = [100, 101]
/** Lanes of USDC, which Circle burns here and mints on the other chain. They get only these deposits. */
export const mintLanes: readonly number[] = [105, 102]
export const [usdcHere, usdcThere] = [usdcOf(8453), usdcOf(42161)]

/** Gas fee in any token of this world, buffer included: almost nothing, rounded up. */
export const gasFeeMostRaw = 1n
export const faultsEndMs = 10 * 60_000
/** Earliest time that the security list gets the villain. */
export const listedAfterMs = 150_000

const keysFrom = (name: string, first: number) =>
  [0, 1].map((n) => ({ id: `${name}-${n}`, address: addressOf(first + n) }))
export const keys = keysFrom('key', 0xee00)
/** The same relayers on the other chain. */
export const mintKeys = keysFrom('mint-key', 0xed00)
export const isMintKey = (id: string): boolean => mintKeys.some((key) => key.id === id)
export const addressOfKey = (id: string): Address => [...keys, ...mintKeys].find((key) => key.id === id)!.address
export const sanctioned = addressOf(0x5a)
/** Listed while its money lies in an account, after a deposit that found no route. */
export const villain = addressOf(0x5b)
/** Sends every other deposit. */
export const customer = addressOf(0x5e)
export const targetToken = addressOf(0x71)

/** The contract that makes the accounts. */
export const registry = addressOf(0x9e)
const organizations = [
  { organizationId: 'org_1', salt: hashOf(0x5a17_0001), protocolFeeBps: 100 },
  { organizationId: 'org_2', salt: hashOf(0x5a17_0002), protocolFeeBps: 40 },
] as const
export const organizationIds: readonly string[] = organizations.map(({ organizationId }) => organizationId)

/** The owner of a lane's account. The organizations have users of the same names. */
type Party = { lane: number; account: Address; accountSalt: Hash; organizationId: string; userId: string } & {
  protocolFeeBps: number
}

function partyIn(lane: number): Party {
  const { salt, ...organization } = organizations[lane % organizations.length]!
  const userId = `user-${Math.floor(lane / organizations.length)}`
  const accountSalt = accountSaltOf(salt, userId)
  const account = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })
  return { lane, account, accountSalt, userId, ...organization }
}

const usualLanes = Array.from({ length: abandonedLane + 1 + rushLanes }, (_, lane) => lane)
const parties = new Map([...usualLanes, villainLane, largeLane, ...mintLanes].map((lane) => [lane, partyIn(lane)]))
const partiesByAccount = new Map<string, Party>([...parties.values()].map((party) => [party.account, party]))
export const partyOf = (lane: number): Party => parties.get(lane)!
export const ownerOf = (account: string): Party => partiesByAccount.get(account)!
export const accountList: readonly Address[] = [...parties.values()].map(({ account }) => account)
export const isAccount = (address: string): boolean => partiesByAccount.has(address)
export const accountOf = (lane: number): Address => partyOf(lane).account
export const isMintAccount = (account: string): boolean => mintLanes.includes(partiesByAccount.get(account)?.lane ?? -1)
/** The token that is sent to an account. */
export const tokenOf = (account: string): Address => (isMintAccount(account) ? usdcHere : token)
/** The account of an organization's user, as the API's store has it. */
export function accountNamed(organizationId: string, userId: string) {
  const party = [...parties.values()].find((one) => one.organizationId === organizationId && one.userId === userId)
  return party ? { id: party.account, organizationId, userId } : null
}
export const isAbandoned = (account: string): boolean => account === accountOf(abandonedLane)

/** Native fee of an account's bridge routes, in wei: 200 units of any token here, for every third lane of an account. */
export const nativeFeeOf = (account: string): bigint =>
  isAccount(account) && ownerOf(account).lane % 3 === 1 ? 200n * 10n ** 12n : 0n

/** Whether each chain has two nodes. In every other world one node decides, as on a chain with one. */
export const hasSecond = (seed: number): boolean => seed % 2 === 0

/** Whether all deposits arrive together, as in one world of three. Many orders then need nonces at the same moment. */
export const isRush = (seed: number): boolean => seed % 3 === 0

const endsIn =
  (...digits: readonly number[]) =>
  (seed: number): boolean =>
    digits.includes(seed % 10)

/**
 * Additions to some worlds, by the last digit of their seed; all other worlds keep their histories. In order: balances
 * are compared with records; confirmed blocks vanish; a separate signer has hourly caps; Circle burns and mints; an
 * organization has a quota; integrators change intents through the API.
 */
export const [isSwept, isDeep, isCapped] = [endsIn(9, 0), endsIn(6), endsIn(6, 9)]
export const [isMinting, isLimited, isServed] = [endsIn(5), endsIn(5), endsIn(5)]
/** Every other world with balance sweeps alone: confirmed blocks without orders vanish, which sets the scan back. */
export const isSetBack = (seed: number): boolean => seed % 20 === 10
