import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { tokenAddressOf } from '../../domain/money/token'
import { readAddress } from '../views/address-parameter'
import { Refusal } from './failure'
import { sentenceOf } from './sentence'

/** Reads the address in a field of a body, and refuses a wrong checksum. */
export function addressIn(field: string, text: string): Address {
  const address = readAddress(text)
  if (!address) throw invalid(field)
  return address
}

/**
 * Reads a token's address in a field of a body. Every address that stands for a chain's coin is read as the zero
 * address.
 */
export const tokenIn = (field: string, chainId: ChainId, text: string): Address =>
  tokenAddressOf(chainId, addressIn(field, text))

export const invalid = (field: string): Refusal =>
  new Refusal('VALIDATION_FAILED', {
    message: sentenceOf({ path: [field], expected: 'an EVM address with a valid checksum' }, field),
  })
