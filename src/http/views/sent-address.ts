import { type } from 'arktype'
import { getAddress } from 'viem/utils'
import type { Address } from '../../domain/hex'
import { shown } from './scalar'

const form = /^0x[0-9a-fA-F]{40}$/
const hasCase = /^0x(?=.*[a-f])(?=.*[A-F])/

/** Any case is taken; a mixed one must carry its EIP-55 checksum. Decision 7. */
export const isSentAddress = (text: string): boolean =>
  form.test(text) && (!hasCase.test(text) || getAddress(text) === text)

/** The one spelling we store and answer. */
export const checksummed = (text: string): Address => getAddress(text.toLowerCase())

export const sentAddress = type(form)
  .describe('an EVM address')
  .narrow((text, context) => isSentAddress(text) || context.mustBe('an EVM address with a valid checksum'))

export const SentAddress = (description: string, example: string) => shown(sentAddress, description, example)
