import { isAddress } from 'viem/utils'
import type { Address, Hex } from '../../domain/chain/hex'
import { type Objection, optional, readVariables, that, type Variable } from './env-variable'

export const roles = ['api', 'worker', 'scanner'] as const
export type ProcessRole = (typeof roles)[number]

type Env = Record<string, string | undefined>

/** A mistyped one, or nobody's, would take fees or money for ever: mixed case must be EIP-55. */
const isSomebody = (text: string): boolean => isAddress(text) && BigInt(text) > 0n
export const address = that(
  isSomebody,
  'an EVM address with a right checksum, and not the zero address',
) as Variable<Address>
export const addresses = that(
  (text) => text.split(',').every(isSomebody),
  'EVM addresses with right checksums and commas between them',
)
/** Of secp256k1: there are that many. */
const privateKeysMax = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const isPrivateKey = (text: string) =>
  /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < privateKeysMax
const privateKey = that(isPrivateKey, 'a private key') as Variable<Hex>
const privateKeys = that((text) => text.split(',').every(isPrivateKey), 'private keys with commas between them')

export function isIntentMacKey(text: string): boolean {
  return text.split(',').every((part) => /^0x[0-9a-fA-F]{64}$/.test(part) && BigInt(part) > 0n)
}

/** What signs and sends. Whoever holds it can move money within the contracts' limits. */
const signing = { ROUTE_SIGNER_PRIVATE_KEY: privateKey, RELAYER_PRIVATE_KEYS: privateKeys }

/** What seals an integrator's word. Whoever holds it can forge where deposits go. */
const sealing = {
  INTENT_MAC_KEY: that(isIntentMacKey, '0x and 64 hexadecimal digits, or several of them with commas between them'),
}

type OrderKeys = { routeSigner: Hex; relayers: Hex[] }
/** Null is what this process has no right to hold, and has not read. */
type ProcessKeys = { signing: OrderKeys | null; intentMac: Hex[] | null }

const needs: Record<ProcessRole, readonly string[]> = {
  api: Object.keys(sealing),
  worker: [...Object.keys(signing), ...Object.keys(sealing)],
  scanner: [],
}
/** The variables that must not stay where any code of the process, or a child of it, could read them. */
const keyVariables = [...new Set(Object.values(needs).flat())]

/**
 * The keys that a process of these roles needs, and those only: of the others nothing is looked at but whether they are
 * set. `misplaced` names those.
 */
export function readKeys(of: readonly ProcessRole[], env: Env) {
  const needed = new Set(of.flatMap((role) => needs[role]))
  const all = { ...signing, ...sealing }
  const table = Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name)))
  // Whoever holds the keys knows their addresses; who only looks at balances and makes drafts is told them.
  const isTold = of.includes('api') && !of.includes('worker')
  const read = readVariables(table as typeof all, env)
  const told = readVariables({ RELAYER_ADDRESSES: isTold ? addresses : optional(addresses) }, env)
  const objections: Objection[] = [...read.objections, ...told.objections]
  const { ROUTE_SIGNER_PRIVATE_KEY: routeSigner, RELAYER_PRIVATE_KEYS: relayers, INTENT_MAC_KEY: mac } = read.values
  const keys: ProcessKeys = {
    signing: of.includes('worker') ? { routeSigner, relayers: (relayers ?? '').split(',') as Hex[] } : null,
    intentMac: needed.has('INTENT_MAC_KEY') ? ((mac ?? '').split(',') as Hex[]) : null,
  }
  return {
    keys,
    relayerAddresses: (told.values.RELAYER_ADDRESSES?.split(',') ?? []) as Address[],
    objections,
    misplaced: keyVariables.filter((name) => !needed.has(name) && env[name]),
  }
}

/** What they are read from. */
export const keyNames: readonly string[] = [...keyVariables, 'RELAYER_ADDRESSES']

/** Takes the keys out of an environment that was read: nothing that is loaded later finds them there. */
export function forgetKeys(env: Env): void {
  for (const name of keyVariables) delete env[name]
}

/** Each key as it could stand in a line of the log. */
export const keyTexts = ({ signing, intentMac }: ProcessKeys): string[] => [
  ...(signing ? [signing.routeSigner, ...signing.relayers] : []),
  ...(intentMac ?? []),
]
