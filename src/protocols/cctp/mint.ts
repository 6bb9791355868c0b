import { decodeFunctionData, encodeFunctionData } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hex, sameAddress } from '../../domain/chain/hex'
import { domainOf, messageTransmitter, messageTransmitterAbi, readDepositForBurn, tokenMessenger, wordOf } from './burn'
import { type BurnMessage, isMessageOf, readMessage } from './message'

/** The call by which anybody has an attested burn minted. */
export const receiveMessage = (message: Hex, attestation: Hex): Hex =>
  encodeFunctionData({ abi: messageTransmitterAbi, functionName: 'receiveMessage', args: [message, attestation] })

/** Reads the message of such a call. Returns null for another function, and for any other encoding of this one. */
function readReceiveMessage(data: Hex): BurnMessage | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: messageTransmitterAbi, data })
    if (functionName !== 'receiveMessage' || receiveMessage(...args) !== data.toLowerCase()) return null
    return readMessage(args[0])
  } catch {
    return null
  }
}

type Called = { chainId: ChainId; target: Address; data: Hex }

/**
 * Tells what is wrong with a call that is to mint on a chain, or null: it asks Circle's contract there for a burn that
 * anybody may have minted, and runs nothing else.
 */
export function mintObjection({ chainId, target, data }: Called): string | null {
  const message = readReceiveMessage(data)
  if (!sameAddress(target, messageTransmitter)) return 'calls another contract than Circle’s'
  if (!message) return 'is no call for a mint in its usual encoding'
  if (message.destinationDomain !== domainOf(chainId)) return 'is for another chain'
  if (message.recipient !== wordOf(tokenMessenger)) return 'is for another contract than Circle’s'
  if (BigInt(message.destinationCaller) !== 0n) return 'may be asked for by somebody else alone'
  return message.hookData === '0x' ? null : 'runs a hook'
}

/** Whether a call mints what this burn of this account took away. */
export function mintsBurn(data: Hex, burnData: Hex, from: { account: Address; chainId: ChainId }): boolean {
  const [message, burn] = [readReceiveMessage(data), readDepositForBurn(burnData)]
  return message !== null && burn !== null && isMessageOf(message, burn, from)
}
