import { concatHex, isHex, size, slice, toHex } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { type Burn, domainOf, tokenMessenger, wordOf } from './burn'

/** The message of a burn, which mints it on the other chain. Addresses are words of 32 bytes. */
export type BurnMessage = {
  version: number
  sourceDomain: number
  destinationDomain: number
  /** The destination's key for the message. Zero until Circle has attested it. */
  nonce: Hash
  /** The sender and the recipient of the message, both TokenMessengers. */
  sender: Hash
  recipient: Hash
  destinationCaller: Hash
  minFinalityThreshold: number
  /** The finality of its attestation. Zero until then. */
  finalityThresholdExecuted: number
  bodyVersion: number
  burnToken: Hash
  mintRecipient: Hash
  amount: bigint
  /** The address that burned. */
  messageSender: Hash
  maxFee: bigint
  /** Circle's fee of the amount. Zero until it is attested. */
  feeExecuted: bigint
  /** The destination block from which it must be re-attested; zero for never. */
  expirationBlock: bigint
  hookData: Hex
}

/**
 * The fields in their order, with their bytes. The first nine belong to the message, the others to its body, and the
 * rest is the hook. Source: circlefin/evm-cctp-contracts at 4061786, src/messages/v2/MessageV2.sol and
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
/** The version number of CCTP v2 in a message and in its body. */
const version = 1

/** Reads the message of a burn. Returns null for other bytes, and for another version. */
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

/** Writes a message in the form that `readMessage` reads. */
export const messageOf = (message: BurnMessage): Hex =>
  concatHex([
    ...layout.map(([name, bytes]) => {
      const value = message[name]
      return typeof value === 'string' ? value : toHex(value, { size: bytes })
    }),
    message.hookData,
  ])

/**
 * Whether an attested message belongs to this burn of this account. Every part that Circle does not fill in must be the
 * same, and Circle's fee must be within the allowed fee. If one account makes two equal burns, the message of each
 * belongs to both.
 */
export function isMessageOf(message: BurnMessage, burn: Burn, from: { account: Address; chainId: ChainId }): boolean {
  const messenger = wordOf(tokenMessenger)
  const isSent = BigInt(message.nonce) !== 0n && message.sender === messenger && message.recipient === messenger
  const isBurned =
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
  return isSent && isBurned && isMinted && isOnItsTerms
}
