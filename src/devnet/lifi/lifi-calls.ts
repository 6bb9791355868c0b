import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { devBridgeAbi } from '../../../contracts/artifacts/abi'
import { lifiFeeRecipient } from '../chains/accounts'
import { bridgeAddress } from '../chains/contracts'
import type { Costs, QuoteRequest } from './quote-request'

const feeForwarderAbi = parseAbi([
  'struct FeeDistribution { address recipient; uint256 amount; }',
  'function forwardERC20Fees(address token, FeeDistribution[] distributions)',
  'function forwardNativeFees(FeeDistribution[] distributions) payable',
])

type Facet = 'AcrossV4' | 'Stargate' | 'PolymerCCTP'

/** LI.FI's calldata for a bridge, by the plain function or by the function that first takes a fee. */
export function bridgeCall(
  [facet, tool]: readonly [Facet, string],
  request: QuoteRequest,
  transactionId: Hex,
  { net, fee }: Costs,
  facetData: object,
): Hex {
  const bridgeData = {
    transactionId,
    bridge: tool,
    integrator: request.integrator,
    referrer: zeroAddress,
    sendingAssetId: request.fromToken.address,
    receiver: request.toAddress,
    minAmount: net,
    destinationChainId: BigInt(request.toChain),
    hasSourceSwaps: fee > 0n,
    hasDestinationCall: false,
  }
  const [functionName, args] =
    fee === 0n
      ? [`startBridgeTokensVia${facet}`, [bridgeData, facetData]]
      : [`swapAndStartBridgeTokensVia${facet}`, [bridgeData, [feeSwap(request, fee)], facetData]]
  return encodeFunctionData({ abi: devBridgeAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
}

/** LI.FI's way of taking its fee: a "swap" of the token to itself, by its FeeForwarder. */
function feeSwap({ fromToken: { address: token }, amount }: QuoteRequest, fee: bigint) {
  const fees = [{ recipient: lifiFeeRecipient, amount: fee }]
  const abi = feeForwarderAbi
  const callData =
    token === zeroAddress
      ? encodeFunctionData({ abi, functionName: 'forwardNativeFees', args: [fees] })
      : encodeFunctionData({ abi, functionName: 'forwardERC20Fees', args: [token, fees] })
  return {
    callTo: bridgeAddress,
    approveTo: bridgeAddress,
    sendingAssetId: token,
    receivingAssetId: token,
    fromAmount: amount,
    callData,
    requiresDeposit: true,
  }
}

/** A selector that names no function, because the Diamond's stand-in makes the exchange of a swap itself. */
const noFunction = toHex(0, { size: 4 })

/** LI.FI's calldata for a swap on one chain. */
export function swapCall(request: QuoteRequest, transactionId: Hex, { net, fee, output, minimum }: Costs): Hex {
  const { fromToken, toToken, integrator, toAddress } = request
  const exchange = {
    callTo: bridgeAddress,
    approveTo: bridgeAddress,
    sendingAssetId: fromToken.address,
    receivingAssetId: toToken.address,
    fromAmount: net,
    callData: concatHex([noFunction, encodeAbiParameters([{ type: 'uint256' }], [output])]),
    requiresDeposit: fee === 0n,
  }
  const head = [transactionId, integrator, zeroAddress as string, toAddress, minimum] as const
  const isNative = [fromToken, toToken].map(({ address }) => address === zeroAddress)
  if (fee === 0n && !isNative.includes(true)) {
    const args = [...head, exchange] as const
    return encodeFunctionData({ abi: devBridgeAbi, functionName: 'swapTokensSingleV3ERC20ToERC20', args })
  }
  const args = [...head, fee === 0n ? [exchange] : [feeSwap(request, fee), exchange]] as const
  const names = ['ERC20ToERC20', 'NativeToERC20', 'ERC20ToNative'] as const
  const functionName = `swapTokensMultipleV3${names[isNative.indexOf(true) + 1]!}` as const
  return encodeFunctionData({ abi: devBridgeAbi, functionName, args })
}
