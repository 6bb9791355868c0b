import { privateKeyToAccount } from 'viem/accounts'
import { encodeFunctionData, hashTypedData, keccak256, recoverAddress, stringToHex } from 'viem/utils'
import { routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { type Order, routeKinds } from '../../domain/execution/route'

/** The order as the contract's struct, which is both signed and sent. */
const orderStruct = (order: Omit<Order, 'id' | 'signature' | 'gasLimit' | 'account' | 'chainId'>) => ({
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

/** The call that executes many orders, each separately and with no more gas than it might use alone. */
export const batchCall = (orders: readonly Order[]): Hex =>
  encodeFunctionData({
    abi: routeExecutorAbi,
    functionName: 'executeBatch',
    args: [
      orders.map((order) => ({
        order: orderStruct(order),
        signature: order.signature,
        gas: BigInt(order.gasLimit),
      })),
    ],
  })

/**
 * The account that signs drafts. Its key is public and no executor accepts it, so its signatures are worthless on
 * chain. Only a gas estimate overrides the executor to accept it. No valid signature thus exists for an order that
 * should not be sent.
 */
export const draftAccount = privateKeyToAccount(keccak256(stringToHex('switchyard: the key of drafts, worth nothing')))

const draftsMax = 2_000
const drafts = new BoundedMap<string, true>(draftsMax)

/** Signs a draft, and caches it, because recovering its signer takes longer than signing. */
export async function signedDraft(id: Hash): Promise<Hex> {
  const signature = await draftAccount.sign({ hash: id })
  drafts.set(`${id} ${signature}`, true)
  return signature
}

/** Whether an order is a draft, on any process. */
export async function isDraft({ id, signature }: Pick<Order, 'id' | 'signature'>): Promise<boolean> {
  if (drafts.get(`${id} ${signature}`)) return true
  const signer = await recoverAddress({ hash: id, signature }).catch(() => null)
  return signer === draftAccount.address
}

/** The signer of an order; null if the signature is invalid or belongs to the account of drafts. */
export async function signerOfDigest({ id, signature }: Pick<Order, 'id' | 'signature'>): Promise<Address | null> {
  const signer = await recoverAddress({ hash: id, signature }).catch(() => null)
  return signer === draftAccount.address ? null : signer
}

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

/** The terms of an order, which are the signed part. */
export type Terms = Omit<Order, 'id' | 'signature' | 'gasLimit'>

/** The EIP-712 digest of an order for one executor on one chain, as the contract's `hashOrder` returns it. */
export const orderDigest = (terms: Terms, { chainId, executor }: { chainId: ChainId; executor: Address }): Hash =>
  hashTypedData({
    domain: { name: 'Switchyard', version: '1', chainId, verifyingContract: executor },
    types,
    primaryType: 'Order',
    message: orderStruct(terms),
  })

/** The contracts that execute orders. */
export type Executors = {
  executor: Address
  /** The contract for refunds; null if there is none, and then no refund is signed for it. */
  recoveryExecutor: Address | null
}

/** The contract that executes orders of a kind; null for refunds without a RecoveryExecutor. */
export const executorFor = (kind: Order['kind'], { executor, recoveryExecutor }: Executors): Address | null =>
  kind === 'REFUND' ? recoveryExecutor : executor

/**
 * Finds the executor that an order was signed for, by the order's digest. While the order is valid it is sent to that
 * executor, even if another one is current now.
 *
 * @throws {TypeError} if it matches no executor, because a replaced executor is missing in the configuration.
 */
export function executorOf(order: Order, executors: Executors, former: readonly Address[]): Address {
  const current = executorFor(order.kind, executors)
  if (current && former.length === 0) return current
  const configured = current ? [current, ...former] : former
  const match = configured.find((executor) => orderDigest(order, { ...order, executor }) === order.id)
  if (!match) throw new TypeError('An order was signed for an executor that is not configured')
  return match
}
