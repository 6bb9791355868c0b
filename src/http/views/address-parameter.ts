import { getAddress } from 'viem/utils'
import { BoundedMap } from '../../domain/bounded-map'
import type { Address } from '../../domain/chain/hex'
import { type } from '../../domain/schema'
import { described } from './scalar'

const form = /^0x[0-9a-fA-F]{40}$/
const hasCase = /^0x(?=.*[a-f])(?=.*[A-F])/
const cachedMax = 20_000
const parsed = new BoundedMap<string, Address | null>(cachedMax)

/**
 * Returns the checksummed form of an address, which we store and return; null for anything else. Any case is accepted,
 * but mixed case must be a valid EIP-55 checksum (decision 7).
 */
export function readAddress(text: string): Address | null {
  const before = parsed.get(text)
  if (before !== undefined) return before
  const spelled = form.test(text) ? getAddress(text.toLowerCase()) : null
  const address = spelled && (spelled === text || !hasCase.test(text)) ? spelled : null
  if (text.length <= 42) parsed.set(text, address)
  return address
}

/** Returns the checksummed form of a valid address. */
export const checksummed = (text: string): Address => getAddress(text.toLowerCase())

/** Checks only the form; the checksum is verified when the address is read. */
export const addressForm = type(form).describe('an EVM address')

const sentAddress = addressForm.narrow(
  (text, context) => readAddress(text) !== null || context.mustBe('an EVM address with a valid checksum'),
)

export const AddressParameter = (description: string, example: string) => described(sentAddress, description, example)
/**
 * Leaves the checksum to `addressIn`, because ArkType does not compile the check of a whole body that contains a
 * predicate.
 */
export const AddressForm = (description: string, example: string) => described(addressForm, description, example)
