import { decodeFunctionData, encodeFunctionData } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hex, sameAddress } from '../../domain/chain/hex'
import { domainOf, messageTransmitter, messageTransmitterAbi, readDepositForBurn, tokenMessenger, wordOf } from './burn'
import { type BurnMessage, isMessageOf, readMessage } from './message'

/** The call that mints an attested burn. Any address may send it. */
export const receiveMessage = (message: Hex, attestation: Hex): Hex =>
  encodeFunctionData({ abi: messageTransmitterAbi, functionName: 'receiveMessage', args: [message, attestation] })

/** Reads the message of this call. Returns null for another function, and for any other encoding of this one. */
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
 * Returns the fault of a call that should mint on a chain, or null. A valid call goes to Circle's contract there, mints
 * a burn that any address may mint, and runs nothing else.
 */
export function mintObjection({ chainId, target, data }: Called): string | null {
  const message = readReceiveMessage(data)
  if (!sameAddress(target, messageTransmitter)) return 'does not call Circle’s contract'
  if (!message) return 'is not a mint in its usual encoding'
  if (message.destinationDomain !== domainOf(chainId)) return 'is for another chain'
  if (message.recipient !== wordOf(tokenMessenger)) return 'is not addressed to Circle’s contract'
  if (BigInt(message.destinationCaller) !== 0n) return 'allows only another caller'
  return message.hookData === '0x' ? null : 'runs a hook'
}

/** Whether a call mints the amount that this burn of this account removed. */
export function mintsBurn(data: Hex, burnData: Hex, from: { account: Address; chainId: ChainId }): boolean {
  const [message, burn] = [readReceiveMessage(data), readDepositForBurn(burnData)]
  return message !== null && burn !== null && isMessageOf(message, burn, from)
}
