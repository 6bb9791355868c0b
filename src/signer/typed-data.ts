import { hashTypedData } from 'viem/utils'
import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Order } from '../domain/execution/order'
import { orderStruct } from '../protocols/executor/order-call'

const types = {
  Order: [
    { name: 'routeId', type: 'bytes32' },
    { name: 'accountSalt', type: 'bytes32' },
    { name: 'kind', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'minSpent', type: 'uint256' },
    { name: 'protocolFee', type: 'uint256' },
    { name: 'gasFee', type: 'uint256' },
    { name: 'collector', type: 'address' },
    { name: 'intent', type: 'Intent' },
    { name: 'target', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'nativeFee', type: 'uint256' },
    { name: 'minGas', type: 'uint256' },
    { name: 'deadline', type: 'uint64' },
    { name: 'data', type: 'bytes' },
  ],
  Intent: [
    { name: 'toChainId', type: 'uint256' },
    { name: 'tokenOut', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'minOut', type: 'uint256' },
  ],
} as const

/** The terms of an order, which are the part that is signed. */
export type Terms = Omit<Order, 'id' | 'signature' | 'gasLimit'>

/** The EIP-712 digest of an order for one executor on one chain: what the contract calls `hashOrder`. */
export const orderDigest = (terms: Terms, { chainId, executor }: { chainId: ChainId; executor: Address }): Hash =>
  hashTypedData({
    domain: { name: 'Switchyard', version: '1', chainId, verifyingContract: executor },
    types,
    primaryType: 'Order',
    message: orderStruct(terms),
  })

/**
 * The executor that an order was signed for, which its digest tells. The order is sent there as long as it is valid,
 * whichever executor is current by then.
 *
 * @throws {TypeError} when it was signed for none of them because a replaced executor is missing in the configuration.
 */
export function executorOf(order: Order, [current, ...former]: readonly [Address, ...Address[]]): Address {
  if (former.length === 0) return current
  const found = [current, ...former].find((executor) => orderDigest(order, { ...order, executor }) === order.id)
  if (!found) throw new TypeError('An order was signed for an executor that is not configured')
  return found
}
