import { encodeFunctionData } from 'viem/utils'
import { routeExecutorAbi } from '../../../contracts/artifacts/abi'
import type { Hex } from '../../domain/chain/hex'
import type { Order } from '../../domain/execution/order'
import { routeKinds } from '../../domain/execution/route'

/** The order as the contract's struct, which is both signed and sent. */
export const orderStruct = (order: Omit<Order, 'id' | 'signature' | 'gasLimit' | 'account' | 'chainId'>) => ({
  routeId: order.routeId,
  accountSalt: order.accountSalt,
  kind: routeKinds[order.kind],
  token: order.token,
  amountIn: BigInt(order.amountIn),
  minSpent: BigInt(order.minSpent),
  protocolFee: BigInt(order.protocolFee),
  gasFee: BigInt(order.gasFee),
  collector: order.collector,
  intent: {
    toChainId: BigInt(order.intent.toChainId),
    tokenOut: order.intent.tokenOut,
    recipient: order.intent.recipient,
    minOut: BigInt(order.intent.minOut),
  },
  target: order.target,
  spender: order.spender,
  nativeFee: BigInt(order.nativeFee),
  minGas: BigInt(order.minGas),
  deadline: BigInt(order.deadline),
  data: order.data,
})

export const orderCall = (order: Order): Hex =>
  encodeFunctionData({
    abi: routeExecutorAbi,
    functionName: 'execute',
    args: [orderStruct(order), order.signature],
  })
