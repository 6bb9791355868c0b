import { getAddress, isAddress } from 'viem/utils'
import type { Holders } from '../domain/chain/account'
import { type ChainKey, chainKeys, chains, network } from '../domain/chain/chain'
import { type Address, zeroAddress } from '../domain/chain/hex'
import { type } from '../domain/schema'
import { relaySolver } from '../protocols/relay/relay-order'
import type { ContractSettings } from './product-contracts'

/** Who holds the roles, what may be routed, and how much: everything that the contracts are told when they are made. */
export type DeploymentFile = {
  settings: ContractSettings
  /** The holders after the hand-over: multisigs, in the place of the keys that deployed. */
  liveHolders: Holders
  /** Where the cap of the native coin is lower than the highest of all chains, which is the one that is deployed. */
  nativeCaps: Record<ChainKey, bigint>
}

/** A deployment file that cannot be used, in sentences for the operator. */
export class DeploymentFileError extends Error {
  override name = 'DeploymentFileError'
}

const limitMax = 2n ** 112n - 1n
const address = type('string').narrow((text, context) =>
  isAddress(text) && BigInt(text) > 0n
    ? true
    : context.mustBe('an address with a valid checksum, and not the zero address'),
)
const amount = type('string').narrow((text, context) =>
  /^(0|[1-9]\d{0,33})$/.test(text) && BigInt(text) <= limitMax
    ? true
    : context.mustBe('an amount in atomic units, as a string of digits, below 2^112'),
)
const holders = type({ admin: address, guardian: address, recovery: address })
const File = type({
  '+': 'reject',
  'network?': "'mainnet' | 'testnet'",
  holders: type({ genesis: holders, live: holders }),
  relayers: address.array().atLeastLength(1),
  signers: address.array().atLeastLength(1),
  collectors: address.array().atLeastLength(1),
  'relaySolver?': address,
  maxNativeFeeWei: amount,
  caps: 'Record<string, Record<string, string>>',
})

/** @throws {DeploymentFileError} */
export function readDeploymentFile(text: string): DeploymentFile {
  const read = File(jsonOf(text))
  if (read instanceof type.errors) throw new DeploymentFileError(`The deployment file is wrong: ${read.summary}`)
  const { network: of = 'mainnet' } = read
  if (of !== network) throw new DeploymentFileError(`The deployment file is of the ${of}, and NETWORK says ${network}.`)
  const { holders: held, caps, maxNativeFeeWei, relaySolver: solver = relaySolver } = read
  assureDistinct(read)
  const nativeCaps = capsOf(caps, (key) => caps[key]!['native'])
  const highest = Object.values(nativeCaps).reduce((one, other) => (one > other ? one : other))
  const tokenCaps = chainKeys.flatMap((key) =>
    Object.entries(caps[key]!)
      .filter(([token]) => token !== 'native')
      .map(([token, limit]) => ({ token: tokenOf(token, key), limit: amountOf(limit, `${key}: ${token}`) })),
  )
  const tokens = tokenCaps.map(({ token }) => token)
  if (new Set(tokens).size < tokens.length)
    throw new DeploymentFileError('A token has two caps: its address may stand under one chain only.')
  const list = (all: readonly string[]) => all.map((each) => getAddress(each))
  return {
    settings: {
      holders: addressesOf(held.genesis),
      relayers: list(read.relayers),
      signers: list(read.signers),
      collectors: list(read.collectors),
      relaySolver: getAddress(solver),
      caps: [{ token: zeroAddress, limit: highest }, ...tokenCaps],
      maxNativeFeeWei: BigInt(maxNativeFeeWei),
    },
    liveHolders: addressesOf(held.live),
    nativeCaps,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new DeploymentFileError('The deployment file is not JSON.')
  }
}

function capsOf(
  caps: Record<string, unknown>,
  nativeOf: (key: ChainKey) => string | undefined,
): Record<ChainKey, bigint> {
  const others = Object.keys(caps).filter((key) => !chainKeys.includes(key as ChainKey))
  const missing = chainKeys.filter((key) => !(key in caps))
  if (others.length + missing.length > 0)
    throw new DeploymentFileError(`"caps" must have exactly these chains: ${chainKeys.join(', ')}.`)
  return Object.fromEntries(chainKeys.map((key) => [key, amountOf(nativeOf(key) ?? '', `${key}: native`)])) as Record<
    ChainKey,
    bigint
  >
}

function amountOf(text: string, what: string): bigint {
  if (amount(text) instanceof type.errors)
    throw new DeploymentFileError(`The cap of ${what} must be an amount in atomic units, as a string of digits.`)
  return BigInt(text)
}

function tokenOf(text: string, key: ChainKey): Address {
  if (isAddress(text) && BigInt(text) > 0n) return getAddress(text)
  throw new DeploymentFileError(`"${text}" in the caps of ${chains[key].shortName} is no address.`)
}

const addressesOf = ({ admin, guardian, recovery }: Record<keyof Holders, string>): Holders => ({
  admin: getAddress(admin),
  guardian: getAddress(guardian),
  recovery: getAddress(recovery),
})

type Named = {
  holders: Record<'genesis' | 'live', Record<string, string>>
  relayers: string[]
  signers: string[]
}

/** Nobody may have two powers: a holder that is a hot key, or a relayer that signs, is what a thief hopes for. */
function assureDistinct({ holders: { genesis, live }, relayers, signers }: Named): void {
  const all = [...Object.values(genesis), ...Object.values(live), ...relayers, ...signers].map((each) =>
    each.toLowerCase(),
  )
  const twice = all.find((each, n) => all.indexOf(each) < n)
  if (twice)
    throw new DeploymentFileError(
      `${getAddress(twice)} is named twice among holders, relayers and signers: nobody has two powers.`,
    )
}
