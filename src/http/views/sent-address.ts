import { getAddress } from 'viem/utils'
import type { Address } from '../../domain/chain/hex'
import { type } from '../../domain/schema'
import { shown } from './scalar'

const form = /^0x[0-9a-fA-F]{40}$/
const hasCase = /^0x(?=.*[a-f])(?=.*[A-F])/
const knownMax = 20_000
const known = new Map<string, Address | null>()

/**
 * The one spelling we store and answer, or null for what is no address. Any case is taken; a mixed one must carry its
 * EIP-55 checksum (decision 7).
 */
export function readAddress(text: string): Address | null {
  const before = known.get(text)
  if (before !== undefined) return before
  const spelled = form.test(text) ? getAddress(text.toLowerCase()) : null
  const address = spelled && (spelled === text || !hasCase.test(text)) ? spelled : null
  if (known.size >= knownMax) known.delete(known.keys().next().value!)
  if (text.length <= 42) known.set(text, address)
  return address
}

/** The one spelling of what is known to be an address. */
export const checksummed = (text: string): Address => getAddress(text.toLowerCase())

/** The form alone: whether the checksum is right is asked when the address is taken. */
export const addressForm = type(form).describe('an EVM address')

const sentAddress = addressForm.narrow(
  (text, context) => readAddress(text) !== null || context.mustBe('an EVM address with a valid checksum'),
)

export const SentAddress = (description: string, example: string) => shown(sentAddress, description, example)
/** Without its checksum: `addressIn` asks for that. A predicate would cost the whole body its compiled check. */
export const SentAddressForm = (description: string, example: string) => shown(addressForm, description, example)
