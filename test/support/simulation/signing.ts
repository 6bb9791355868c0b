import type { Hash } from '../../../src/domain/chain/hex'
import type { Order } from '../../../src/domain/execution/route'
import type { OrderSigner, Relayers } from '../../../src/ports/signer'
import { addressOf, hashOf, token } from '../deposits'
import type { Chain } from './chain'
import { keys } from './parties'

type Signed = Parameters<OrderSigner['sign']>[0]

/** The order of an execution, as the signer makes it from the execution's facts. */
export function signedOrder({ deposit, facts }: Signed, deadline: number, id: Hash): Order {
  const { intent, route, fees, balance } = facts
  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = intent!
  return {
    id,
    routeId: facts.routeId!,
    accountSalt: hashOf(Number(deposit.account)),
    account: deposit.account,
    chainId: 8453,
    kind: route!.kind,
    token,
    amountIn: balance!.totalReceivedRaw,
    minSpent: balance!.totalReceivedRaw,
    protocolFee: fees!.protocolFeeEffective,
    gasFee: fees!.gasFeeRaw,
    collector: addressOf(0xfe),
    intent: { toChainId, tokenOut, recipient, minOut: route!.amountOutMin },
    target: addressOf(0xb1),
    spender: addressOf(0xb1),
    nativeFee: route!.call?.nativeFee ?? '0',
    minGas: '0',
    deadline,
    data: route!.call?.data ?? '0x',
    signature: '0x',
    gasLimit: facts.gasLimit!,
  }
}

/** The signer of orders. Every signature is unique, while the route id stays. */
export function orderSigner(): OrderSigner {
  let orders = 0
  return {
    sign: async (execution, deadline) => signedOrder(execution, deadline, hashOf(0x5000_0000 + orders++)),
    draft: async () => ({}) as Order,
  }
}

/** Signs a transaction of a relayer key. */
export const signWith = (chain: Chain, id: string, nonce: number, orders: readonly Order[], fee: Fee) =>
  chain.sign({ key: keys.find((key) => key.id === id)!.address, nonce, orders, fee })
type Fee = Parameters<Relayers['filler']>[2]

export const relayersOn = (chain: Chain): Relayers => ({
  forRoute: (_chainId, routeId) => keys[Number(BigInt(routeId) % BigInt(keys.length))]!,
  onChain: () => keys,
  transaction: async (id, nonce, order, fee, also = []) => signWith(chain, id, nonce, [order, ...also] as Order[], fee),
  filler: async (id, nonce, fee) => signWith(chain, id, nonce, [], fee),
  mayShare: () => true,
  mintObjection: () => null,
})
