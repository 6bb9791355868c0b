import { encodeFunctionData } from 'viem/utils'
import type { Hex } from '../../domain/chain/hex'
import { messageTransmitterAbi } from './burn'

/** The call by which anybody has an attested burn minted. */
export const receiveMessage = (message: Hex, attestation: Hex): Hex =>
  encodeFunctionData({ abi: messageTransmitterAbi, functionName: 'receiveMessage', args: [message, attestation] })
