import type { Address } from '../../domain/chain/hex'
import { readAddress } from '../views/sent-address'
import { Refusal } from './failure'
import { sentenceOf } from './sentence'

/** Reads the address in a field of a body, and refuses one whose checksum is wrong. */
export function addressIn(field: string, text: string): Address {
  const address = readAddress(text)
  if (!address) throw invalid(field)
  return address
}

export const invalid = (field: string): Refusal =>
  new Refusal('VALIDATION_FAILED', {
    message: sentenceOf({ path: [field], expected: 'an EVM address with a valid checksum' }, field),
  })
