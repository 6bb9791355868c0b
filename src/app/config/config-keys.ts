import { isAddress } from 'viem/utils'
import { isKmsKey, type KeySource } from '../../adapters/keys/open-key'
import type { Address, Hex } from '../../domain/chain/hex'
import { type Objection, optional, readVariables, that, type Variable } from './env-variable'

/** The roles of `ROLES=all`. A separate signer is never one of them. */
export const roles = ['api', 'worker', 'scanner'] as const
export type ProcessRole = (typeof roles)[number] | 'signer'

type Env = Record<string, string | undefined>

/**
 * A mistyped address or the zero address would receive fees or funds permanently. Mixed case must be a valid EIP-55
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
/** The order of secp256k1. A private key must be smaller. */
const privateKeysMax = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const isPrivateKey = (text: string) =>
  /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < privateKeysMax
const isKey = (text: string) => isPrivateKey(text) || isKmsKey(text)
const key = that(isKey, 'a private key, or aws-kms: or gcp-kms: with the name of a key') as Variable<KeySource>
const keysListed = that(
  (text) => text.split(',').every(isKey),
  'private keys with commas between them, or aws-kms: or gcp-kms: with names of keys',
)

export function isIntentMacKey(text: string): boolean {
  return text.split(',').every((part) => /^0x[0-9a-fA-F]{64}$/.test(part) && BigInt(part) > 0n)
}
const secretKeys = that(isIntentMacKey, '0x and 64 hexadecimal digits, or several of them with commas between them')

/**
 * All keys. The first two together move money, within the limits of the contracts. INTENT_MAC_KEY decides where it
 * goes. Workers authenticate to a separate signer with SIGNER_ACCESS_KEY. RECEIPT_KEY signs receipts, which move
 * nothing.
 */
const keyTable = {
  ROUTE_SIGNER_PRIVATE_KEY: key,
  RELAYER_PRIVATE_KEYS: keysListed,
  INTENT_MAC_KEY: secretKeys,
  SIGNER_ACCESS_KEY: secretKeys,
  RECEIPT_KEY: optional(key),
}
type KeyName = keyof typeof keyTable

/** Null for keys that this process does not need and has not read. */
type ProcessKeys = {
  routeSigner: KeySource | null
  relayers: KeySource[] | null
  intentMac: Hex[] | null
  signerAccess: Hex[] | null
  receipt: KeySource | null
}

/** The keys that each role needs. A worker with SIGNER_URL holds neither the signing key nor the key of the seals. */
const needsOf = (hasSigner: boolean): Record<ProcessRole, readonly KeyName[]> => ({
  api: ['INTENT_MAC_KEY', 'RECEIPT_KEY'],
  worker: [
    'RELAYER_PRIVATE_KEYS',
    ...(hasSigner ? (['SIGNER_ACCESS_KEY'] as const) : (['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY'] as const)),
  ],
  scanner: [],
  signer: ['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'],
})

/** The variables that are removed after reading, to hide them from later code and from child processes. */
const keyVariables = Object.keys(keyTable) as KeyName[]

/** Refuses combinations of keys and roles that would let one process move money. */
function togetherObjections(of: readonly ProcessRole[], hasSigner: boolean, isSet: (name: KeyName) => boolean) {
  const objections: Objection[] = []
  const refuse = (name: string, expected: string) => objections.push({ name, expected })
  if (of.includes('signer') && of.length > 1)
    refuse('ROLES', 'signer alone: signing runs in its own process, or in a worker without SIGNER_URL')
  if (of.includes('signer') && isSet('RELAYER_PRIVATE_KEYS'))
    refuse('RELAYER_PRIVATE_KEYS', 'left out of the signer: a process that signs must not be able to send')
  if (hasSigner && isSet('ROUTE_SIGNER_PRIVATE_KEY'))
    refuse('ROUTE_SIGNER_PRIVATE_KEY', 'left out if SIGNER_URL is set: a process that sends must not be able to sign')
  if (hasSigner && isSet('INTENT_MAC_KEY') && !of.includes('api'))
    refuse('INTENT_MAC_KEY', 'left out if SIGNER_URL is set: a process that sends must not be able to seal')
  if (hasSigner && of.includes('api'))
    refuse('ROLES', 'without api if SIGNER_URL is set: a process that seals must not be able to send')
  return objections
}

type Reading = {
  /** Whether SIGNER_URL is set for this process. */
  hasSigner: boolean
}

/**
 * Reads only the keys that a process with these roles needs. Other keys are not read; those that are set are named in
 * `misplaced`. Combinations that would let one process move money are refused.
 */
export function readKeys(of: readonly ProcessRole[], env: Env, { hasSigner }: Reading) {
  const needs = needsOf(hasSigner)
  const needed = new Set(of.flatMap((role) => needs[role]))
  const isSet = (name: KeyName): boolean => Boolean(env[name] || env[`${name}_FILE`])
  const table = Object.fromEntries(Object.entries(keyTable).filter(([name]) => needed.has(name as KeyName)))
  // A worker derives the relayers' addresses from its keys. An API process only reads balances and drafts orders, so it
  // needs the addresses as a setting.
  const needsAddresses = of.includes('api') && !of.includes('worker')
  const read = readVariables(table as typeof keyTable, env)
  const relayerRead = readVariables({ RELAYER_ADDRESSES: needsAddresses ? addresses : optional(addresses) }, env)
  const together = togetherObjections(of, hasSigner, isSet)
  const objections: Objection[] = [
    ...read.objections,
    ...relayerRead.objections,
    ...together,
    ...sharedKeys(read.values),
  ]
  const listOf = <Key = Hex>(name: KeyName) =>
    needed.has(name) ? ((read.values[name] ?? '').split(',') as Key[]) : null
  const keys: ProcessKeys = {
    routeSigner: needed.has('ROUTE_SIGNER_PRIVATE_KEY') ? read.values.ROUTE_SIGNER_PRIVATE_KEY : null,
    relayers: listOf<KeySource>('RELAYER_PRIVATE_KEYS'),
    intentMac: listOf('INTENT_MAC_KEY'),
    signerAccess: listOf('SIGNER_ACCESS_KEY'),
    receipt: (needed.has('RECEIPT_KEY') ? read.values.RECEIPT_KEY : null) ?? null,
  }
  return {
    keys,
    relayerAddresses: (relayerRead.values.RELAYER_ADDRESSES?.split(',') ?? []) as Address[],
    objections,
    misplaced: keyVariables.filter((name) => !needed.has(name) && isSet(name)),
  }
}

/** A key that signs receipts on request must sign no order and no transaction, and seal nothing. */
function sharedKeys({ RECEIPT_KEY: receipt, ...others }: { [Name in KeyName]?: string | undefined }): Objection[] {
  const isShared = Object.values(others).some((texts) =>
    texts
      ?.toLowerCase()
      .split(',')
      .includes(receipt?.toLowerCase() ?? ''),
  )
  return receipt && isShared ? [{ name: 'RECEIPT_KEY', expected: 'a key that no other variable names' }] : []
}

/** The variables that hold keys. */
export const keyNames: readonly string[] = [...keyVariables, 'RELAYER_ADDRESSES']

/** Removes the keys from an environment after reading, so code loaded later cannot read them there. */
export function forgetKeys(env: Env): void {
  for (const name of keyVariables) delete env[name]
}

/** Each key as it might appear in a log line. The name of a key in a key management service is not secret. */
export const keyTexts = ({ routeSigner, relayers, intentMac, signerAccess, receipt }: ProcessKeys): string[] =>
  [routeSigner ?? [], relayers ?? [], intentMac ?? [], signerAccess ?? [], receipt ?? []]
    .flat()
    .filter((text) => !isKmsKey(text))
