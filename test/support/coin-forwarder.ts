import { concatHex, pad } from 'viem'
import type { Address, Hex } from '../../src/domain/chain/hex'

/**
 * A contract that forwards the coin that it receives. The first word of the input is the recipient, and the rest
 * becomes the call's input. This is its constructor, then the code: copy all but the first word, call with the value,
 * stop.
 */
export const coinForwarder: Hex = concatHex([
  '0x601a600c600039601a6000f3',
  '0x6020360360206000376000600060203603600034600035',
  '0x5af100',
])
export const forwardedTo = (...to: Address[]): Hex => concatHex(to.map((address) => pad(address)))
