import { isAddress } from 'viem/utils'
import type { Address, Hex } from '../../domain/chain/hex'
import { type Objection, optional, readVariables, that, type Variable } from './env-variable'

export const roles = ['api', 'worker', 'scanner'] as const
export type ProcessRole = (typeof roles)[number]

type Env = Record<string, string | undefined>

/**
 * A mistyped address, or the zero address, would receive fees or money for ever. Mixed case must be a valid EIP-55
 * checksum.
 */
const isNonZeroAddress = (text: string): boolean => isAddress(text) && BigInt(text) > 0n
export const address = that(
  isNonZeroAddress,
  'an EVM address with a valid checksum, and not the zero address',
) as Variable<Address>
export const addresses = that(
  (text) => text.split(',').every(isNonZeroAddress),
  'EVM addresses with valid checksums, separated by commas',
)
/** The order of secp256k1: a private key is smaller. */
const privateKeysMax = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const isPrivateKey = (text: string) =>
  /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < privateKeysMax
const privateKey = that(isPrivateKey, 'a private key') as Variable<Hex>
const privateKeys = that((text) => text.split(',').every(isPrivateKey), 'private keys with commas between them')

export function isIntentMacKey(text: string): boolean {
  return text.split(',').every((part) => /^0x[0-9a-fA-F]{64}$/.test(part) && BigInt(part) > 0n)
}

/** The keys that sign and send. Whoever holds them can move money within the limits of the contracts. */
const signing = { ROUTE_SIGNER_PRIVATE_KEY: privateKey, RELAYER_PRIVATE_KEYS: privateKeys }

/** The keys that seal intents. Whoever holds them can forge where deposits go. */
const sealing = {
  INTENT_MAC_KEY: that(isIntentMacKey, '0x and 64 hexadecimal digits, or several of them with commas between them'),
}

type OrderKeys = { routeSigner: Hex; relayers: Hex[] }
/** Null stands for keys that this process does not need and has not read. */
type ProcessKeys = { signing: OrderKeys | null; intentMac: Hex[] | null }

const needs: Record<ProcessRole, readonly string[]> = {
  api: Object.keys(sealing),
  worker: [...Object.keys(signing), ...Object.keys(sealing)],
  scanner: [],
}
/**
 * The variables that are removed after they were read, so that no other code of the process and no child process can
 * read them.
 */
const keyVariables = [...new Set(Object.values(needs).flat())]

/**
 * Reads only the keys that a process of these roles needs. Of the others it only checks whether they are set, and names
 * those in `misplaced`.
 */
export function readKeys(of: readonly ProcessRole[], env: Env) {
  const needed = new Set(of.flatMap((role) => needs[role]))
  const all = { ...signing, ...sealing }
  const table = Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name)))
  // A process that holds the keys derives their addresses. One that only reads balances and drafts orders must be told
  // the addresses.
  const needsAddresses = of.includes('api') && !of.includes('worker')
  const read = readVariables(table as typeof all, env)
  const relayerRead = readVariables({ RELAYER_ADDRESSES: needsAddresses ? addresses : optional(addresses) }, env)
  const objections: Objection[] = [...read.objections, ...relayerRead.objections]
  const { ROUTE_SIGNER_PRIVATE_KEY: routeSigner, RELAYER_PRIVATE_KEYS: relayers, INTENT_MAC_KEY: mac } = read.values
  const keys: ProcessKeys = {
    signing: of.includes('worker') ? { routeSigner, relayers: (relayers ?? '').split(',') as Hex[] } : null,
    intentMac: needed.has('INTENT_MAC_KEY') ? ((mac ?? '').split(',') as Hex[]) : null,
  }
  return {
    keys,
    relayerAddresses: (relayerRead.values.RELAYER_ADDRESSES?.split(',') ?? []) as Address[],
    objections,
    misplaced: keyVariables.filter((name) => !needed.has(name) && (env[name] || env[`${name}_FILE`])),
  }
}

/** The names of the variables that keys are read from. */
export const keyNames: readonly string[] = [...keyVariables, 'RELAYER_ADDRESSES']

/** Removes the keys from an environment once they are read, so that code loaded later cannot find them there. */
export function forgetKeys(env: Env): void {
  for (const name of keyVariables) delete env[name]
}

/** Each key as it might appear in a log line. */
export const keyTexts = ({ signing, intentMac }: ProcessKeys): string[] => [
  ...(signing ? [signing.routeSigner, ...signing.relayers] : []),
  ...(intentMac ?? []),
]
