import { getAddress } from 'viem/utils'
import type { Address, Hash, Hex } from '../../../domain/chain/hex'
import { RoutingError } from '../../../domain/error'

/** Responses of nodes are parsed strictly: an unexpected value is a failure of the node. */
const malformed = (what: string) => new RoutingError('RPC_FAILED', { cause: new Error(`The node sent no ${what}`) })

const quantity = /^0x[0-9a-fA-F]{1,64}$/
const bytes = /^0x([0-9a-fA-F]{2})*$/
const hash = /^0x[0-9a-fA-F]{64}$/
const address = /^0x[0-9a-fA-F]{40}$/

export function asAmount(value: unknown): bigint {
  if (typeof value !== 'string' || !quantity.test(value)) throw malformed('quantity')
  return BigInt(value)
}

export function asNumber(value: unknown): number {
  const number = Number(asAmount(value))
  if (!Number.isSafeInteger(number)) throw malformed('number')
  return number
}

export function asBytes(value: unknown): Hex {
  if (typeof value !== 'string' || !bytes.test(value)) throw malformed('bytes')
  return value as Hex
}

export function asHash(value: unknown): Hash {
  if (typeof value !== 'string' || !hash.test(value)) throw malformed('hash')
  return value.toLowerCase() as Hash
}

export function asAddress(value: unknown): Address {
  if (typeof value !== 'string' || !address.test(value)) throw malformed('address')
  return getAddress(value as Address)
}

export function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw malformed('list')
  return value
}

/** A single word, as most calls return. */
export function asWord(value: unknown): bigint {
  const data = asBytes(value)
  if (data.length !== 66) throw malformed('word')
  return BigInt(data)
}

export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('object')
  return value as Record<string, unknown>
}

export const toQuantity = (number: number | bigint): Hex => `0x${number.toString(16)}`
export const toTopic = (who: Address): Hash => `0x${who.slice(2).toLowerCase().padStart(64, '0')}`
export const fromTopic = (topic: unknown): Address => asAddress(`0x${asHash(topic).slice(-40)}`)
