import { getAddress, isAddress } from 'viem/utils'
import type { Holders } from '../domain/chain/account'
import { type ChainKey, chainKeys, chains, network, perChainKey } from '../domain/chain/chain'
import { type Address, zeroAddress } from '../domain/chain/hex'
import { jsonOf } from '../domain/json'
import { type } from '../domain/schema'
import { relaySolver } from '../protocols/relay/relay-order'
import type { ContractSettings } from './product-contracts'

/**
 * The holders of roles, the tokens that may be routed, and their caps: everything that the contracts get at deployment.
 */
export type DeploymentFile = {
  /** The wanted settings of each chain. They equal the deployed settings until the file states otherwise. */
  wanted: Record<ChainKey, WantedSettings>
  settings: ContractSettings
  /** The holders after the handover: multisigs that replace the deploying keys. */
  liveHolders: Holders
  /** The cap of the native coin on each chain. The deployed cap is the highest of all chains. */
  nativeCaps: Record<ChainKey, bigint>
  /** The tokens that have a cap on each chain. */
  capped: Record<ChainKey, readonly Address[]>
}

export type WantedSettings = Pick<
  ContractSettings,
  'relayers' | 'signers' | 'collectors' | 'caps' | 'maxNativeFeeWei'
> & {
  /** The addresses that must not have any power. */
  retired: readonly Address[]
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
  'settings?': {
    '+': 'reject',
    'relayers?': address.array().atLeastLength(1),
    'signers?': address.array().atLeastLength(1),
    'collectors?': address.array().atLeastLength(1),
    'retired?': address.array(),
    'chains?': type.Record('string', {
      '+': 'reject',
      'maxNativeFeeWei?': amount,
      'caps?': 'Record<string, string>',
    }),
  },
})
type FileContent = typeof File.infer

/** @throws {DeploymentFileError} */
export function readDeploymentFile(text: string): DeploymentFile {
  const json = jsonOf(text)
  if (json === undefined) throw new DeploymentFileError('The deployment file is not JSON.')
  const read = File(json)
  if (read instanceof type.errors) throw new DeploymentFileError(`The deployment file is wrong: ${read.summary}`)
  const { network: of = 'mainnet' } = read
  if (of !== network) throw new DeploymentFileError(`The deployment file is for the ${of}, but NETWORK is ${network}.`)
  const { holders: held, caps, maxNativeFeeWei, relaySolver: solver = relaySolver } = read
  assureDistinct(read)
  assureDistinct({ ...read, ...read.settings })
  const nativeCaps = capsOf(caps, (key) => caps[key]!['native'])
  const highest = Object.values(nativeCaps).reduce((one, other) => (one > other ? one : other))
  const tokenCaps = chainKeys.flatMap((key) =>
    Object.entries(caps[key]!)
      .filter(([token]) => token !== 'native')
      .map(([token, limit]) => ({ token: tokenOf(token, key), limit: amountOf(limit, `${key}: ${token}`) })),
  )
  const tokens = tokenCaps.map(({ token }) => token)
  const cappedOn = (key: ChainKey) =>
    [...new Set(Object.keys({ ...caps[key], ...read.settings?.chains?.[key]?.caps }))]
      .filter((token) => token !== 'native')
      .map((token) => tokenOf(token, key))
  if (new Set(tokens).size < tokens.length)
    throw new DeploymentFileError('A token has two caps. List its address under one chain only.')
  const deployed = { ...read, caps: tokenCaps, maxNativeFeeWei: BigInt(maxNativeFeeWei) }
  return {
    wanted: wantedOf(read.settings ?? {}, deployed, nativeCaps),
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
    capped: perChainKey(cappedOn),
  }
}

const list = (all: readonly string[]): Address[] => all.map((each) => getAddress(each))

/** The deployed settings, overridden by the file's `settings`. */
function wantedOf(
  { chains: ofChains = {}, retired = [], ...lists }: NonNullable<FileContent['settings']>,
  deployed: Pick<FileContent, 'relayers' | 'signers' | 'collectors'> &
    Pick<ContractSettings, 'caps' | 'maxNativeFeeWei'>,
  nativeCaps: Record<ChainKey, bigint>,
): Record<ChainKey, WantedSettings> {
  const unknown = Object.keys(ofChains).find((key) => !chainKeys.includes(key as ChainKey))
  if (unknown) throw new DeploymentFileError(`"settings" names the unknown chain "${unknown}".`)
  const now = { ...deployed, ...lists }
  const gone = new Set(list(retired))
  const both = list([...now.relayers, ...now.signers, ...now.collectors]).find((each) => gone.has(each))
  if (both) throw new DeploymentFileError(`${both} is retired but also listed with a power.`)
  const before = list([...deployed.relayers, ...deployed.signers, ...deployed.collectors])
  const powers = new Set(list([...now.relayers, ...now.signers, ...now.collectors]))
  return perChainKey((key): WantedSettings => {
    const { caps = {}, maxNativeFeeWei } = ofChains[key] ?? {}
    const limits = new Map<Address, bigint>([[zeroAddress, nativeCaps[key]], ...deployed.caps.map(limitOf)])
    for (const [token, limit] of Object.entries(caps))
      limits.set(token === 'native' ? zeroAddress : tokenOf(token, key), amountOf(limit, `${key}: ${token}`))
    return {
      relayers: list(now.relayers),
      signers: list(now.signers),
      collectors: list(now.collectors),
      retired: [...new Set([...gone, ...before.filter((each) => !powers.has(each))])],
      caps: [...limits].map(([token, limit]) => ({ token, limit })),
      maxNativeFeeWei: maxNativeFeeWei === undefined ? deployed.maxNativeFeeWei : BigInt(maxNativeFeeWei),
    }
  })
}

const limitOf = ({ token, limit }: ContractSettings['caps'][number]): [Address, bigint] => [token, limit]

function capsOf(
  caps: Record<string, unknown>,
  nativeOf: (key: ChainKey) => string | undefined,
): Record<ChainKey, bigint> {
  const others = Object.keys(caps).filter((key) => !chainKeys.includes(key as ChainKey))
  const missing = chainKeys.filter((key) => !(key in caps))
  if (others.length + missing.length > 0)
    throw new DeploymentFileError(`"caps" must have exactly these chains: ${chainKeys.join(', ')}.`)
  return perChainKey((key) => amountOf(nativeOf(key) ?? '', `${key}: native`))
}

function amountOf(text: string, what: string): bigint {
  if (amount(text) instanceof type.errors)
    throw new DeploymentFileError(`The cap of ${what} must be an amount in atomic units, as a string of digits.`)
  return BigInt(text)
}

function tokenOf(text: string, key: ChainKey): Address {
  if (isAddress(text) && BigInt(text) > 0n) return getAddress(text)
  throw new DeploymentFileError(`"${text}" in the caps of ${chains[key].name} is not an address.`)
}

const addressesOf = ({ admin, guardian, recovery }: Record<keyof Holders, string>): Holders => ({
  admin: getAddress(admin),
  guardian: getAddress(guardian),
  recovery: getAddress(recovery),
})

type NamedAccounts = {
  holders: Record<'genesis' | 'live', Record<string, string>>
  relayers: string[]
  signers: string[]
}

/**
 * Each address may have only one power. A hot key that is also a holder, or a relayer that also signs, would help a
 * thief.
 */
function assureDistinct({ holders: { genesis, live }, relayers, signers }: NamedAccounts): void {
  const all = [...Object.values(genesis), ...Object.values(live), ...relayers, ...signers].map((each) =>
    each.toLowerCase(),
  )
  const twice = all.find((each, n) => all.indexOf(each) < n)
  if (twice)
    throw new DeploymentFileError(
      `${getAddress(twice)} is named twice among holders, relayers and signers. Each address may have only one power.`,
    )
}
