import { encodeAbiParameters, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { devBridgeAbi } from '../../contracts/artifacts/abi'
import { bridgeAddress } from './contracts'
import type { QuoteRequest } from './lifi-quote'

export type Amounts = { output: bigint; minimum: bigint }

/** LI.FI's calldata for a bridge. */
export function bridgeCall(request: QuoteRequest, transactionId: Hex, amounts: Amounts & { deadline: bigint }): Hex {
  const bridgeData = {
    transactionId,
    bridge: 'devbridge',
    integrator: request.integrator,
    referrer: zeroAddress,
    sendingAssetId: request.fromToken.address,
    receiver: request.toAddress,
    minAmount: request.amount,
    destinationChainId: BigInt(request.toChain),
    hasSourceSwaps: false,
    hasDestinationCall: false,
  }
  const devBridgeData = {
    outputToken: request.toToken.address,
    outputAmount: amounts.output,
    minOutputAmount: amounts.minimum,
    fillDeadline: amounts.deadline,
  }
  const args = [bridgeData, devBridgeData] as const
  return encodeFunctionData({ abi: devBridgeAbi, functionName: 'startBridgeTokensViaDevBridge', args })
}

/** LI.FI's calldata for a swap on one chain. */
export function swapCall(request: QuoteRequest, transactionId: Hex, { output, minimum }: Amounts): Hex {
  const swap = {
    callTo: bridgeAddress,
    approveTo: bridgeAddress,
    sendingAssetId: request.fromToken.address,
    receivingAssetId: request.toToken.address,
    fromAmount: request.amount,
    callData: encodeAbiParameters([{ type: 'uint256' }], [output]),
    requiresDeposit: true,
  }
  const args = [transactionId, request.integrator, zeroAddress as string, request.toAddress, minimum, [swap]] as const
  return encodeFunctionData({ abi: devBridgeAbi, functionName: 'swapTokensGeneric', args })
}
