import { concatHex, isHex, size, slice, toHex } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { type Burn, domainOf, tokenMessenger, wordOf } from './burn'

/** The message of a burn, by which it is minted on the other chain. Addresses are words of 32 bytes. */
export type BurnMessage = {
  version: number
  sourceDomain: number
  destinationDomain: number
  /** What the destination knows it by. Zero until Circle has attested it. */
  nonce: Hash
  /** Who sent and who receives the message, both of which are TokenMessengers. */
  sender: Hash
  recipient: Hash
  destinationCaller: Hash
  minFinalityThreshold: number
  /** The finality at which it was attested. Zero until then. */
  finalityThresholdExecuted: number
  bodyVersion: number
  burnToken: Hash
  mintRecipient: Hash
  amount: bigint
  /** Who burnt. */
  messageSender: Hash
  maxFee: bigint
  /** What Circle keeps of the amount. Zero until it is attested. */
  feeExecuted: bigint
  /** The block of the destination from which on it must be attested anew; zero for never. */
  expirationBlock: bigint
  hookData: Hex
}

/**
 * The fields in their order, with their bytes. The first nine are the message's, the others its body's, and what
 * follows them is the hook's. Source: circlefin/evm-cctp-contracts at 4061786, src/messages/v2/MessageV2.sol and
 * BurnMessageV2.sol.
 */
const layout = [
  ['version', 4],
  ['sourceDomain', 4],
  ['destinationDomain', 4],
  ['nonce', 32],
  ['sender', 32],
  ['recipient', 32],
  ['destinationCaller', 32],
  ['minFinalityThreshold', 4],
  ['finalityThresholdExecuted', 4],
  ['bodyVersion', 4],
  ['burnToken', 32],
  ['mintRecipient', 32],
  ['amount', 32],
  ['messageSender', 32],
  ['maxFee', 32],
  ['feeExecuted', 32],
  ['expirationBlock', 32],
] as const satisfies readonly (readonly [keyof BurnMessage, number])[]

const bytesOfLayout = layout.reduce((sum, [, bytes]) => sum + bytes, 0)
const amounts: readonly string[] = ['amount', 'maxFee', 'feeExecuted', 'expirationBlock']
/** What CCTP v2 calls itself, in a message and in its body. */
const version = 1

/** Reads a message of a burn. Returns null for bytes that are none, or of another version. */
export function readMessage(message: Hex): BurnMessage | null {
  if (!isHex(message) || message.length % 2 !== 0 || size(message) < bytesOfLayout) return null
  const bytes = message.toLowerCase() as Hex
  const fields: Record<string, unknown> = { hookData: `0x${bytes.slice(2 + bytesOfLayout * 2)}` }
  let at = 0
  for (const [name, length] of layout) {
    const field = slice(bytes, at, at + length)
    fields[name] = length === 4 ? Number(field) : amounts.includes(name) ? BigInt(field) : field
    at += length
  }
  const read = fields as BurnMessage
  return read.version === version && read.bodyVersion === version ? read : null
}

/** Writes a message as it is read. */
export const messageOf = (message: BurnMessage): Hex =>
  concatHex([
    ...layout.map(([name, bytes]) => {
      const value = message[name]
      return typeof value === 'string' ? value : toHex(value, { size: bytes })
    }),
    message.hookData,
  ])

/**
 * Whether an attested message is of this burn of this account: everything in it that Circle does not fill in by itself
 * is the same, and what Circle keeps is no more than was allowed. Two equal burns of one account have messages that
 * both are of either.
 */
export function isMessageOf(message: BurnMessage, burn: Burn, from: { account: Address; chainId: ChainId }): boolean {
  const messenger = wordOf(tokenMessenger)
  const isSent = BigInt(message.nonce) !== 0n && message.sender === messenger && message.recipient === messenger
  const isBurnt =
    message.sourceDomain === domainOf(from.chainId) &&
    message.messageSender === wordOf(from.account) &&
    message.burnToken === wordOf(burn.burnToken) &&
    message.amount === burn.amount
  const isMinted =
    message.destinationDomain === burn.destinationDomain &&
    message.mintRecipient === burn.mintRecipient.toLowerCase() &&
    message.destinationCaller === burn.destinationCaller.toLowerCase() &&
    message.hookData === '0x'
  const isOnItsTerms =
    message.minFinalityThreshold === burn.minFinalityThreshold &&
    message.finalityThresholdExecuted >= burn.minFinalityThreshold &&
    message.maxFee === burn.maxFee &&
    message.feeExecuted <= burn.maxFee
  return isSent && isBurnt && isMinted && isOnItsTerms
}
