import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { type ChainId, type ChainKey, chainKeyOf, chainKeys, chainOf, chains } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { RelayerAddresses, Relayers } from '../ports/signer'
import { orderCall } from '../protocols/executor/order-call'
import { executorOf } from './typed-data'

/** A transfer to oneself; rollups count their data fee in it. What is not used is not paid. */
const fillerGas = 200_000n

/** The relayers as everybody may know them. */
export function relayerAddresses(addresses: readonly Address[]): RelayerAddresses {
  const keyOf = (chainId: ChainId, address: Address) => ({ id: idOf(chainKeyOf(chainId), address), address })
  return {
    keyFor(chainId, routeId) {
      if (addresses.length === 0) throw new TypeError('No relayer is known here')
      return keyOf(chainId, addresses[Number(BigInt(routeId) % BigInt(addresses.length))]!)
    },
    keys: (chainId) => addresses.map((address) => keyOf(chainId, address)),
  }
}

/** Relayer keys in memory. They sign transactions of our making and nothing else: no message, no delegation. */
export function relayers(
  privateKeys: readonly Hex[],
  executor: Address,
  formerExecutors: readonly Address[] = [],
): Relayers {
  const accounts = privateKeys.map((key) => privateKeyToAccount(key))
  if (accounts.length === 0) throw new RangeError('There is no relayer key')
  const senders = new Map<string, { chainId: ChainId; account: PrivateKeyAccount }>()
  for (const key of chainKeys)
    for (const account of accounts) senders.set(idOf(key, account.address), { chainId: chains[key].id, account })

  const senderOf = (senderId: string) => {
    const sender = senders.get(senderId)
    if (!sender) throw new TypeError('A stored sender has no key here')
    return sender
  }

  return {
    ...relayerAddresses(accounts.map(({ address }) => address)),
    async transaction(senderId, nonce, order, fee) {
      const { chainId, account } = senderOf(senderId)
      if (order.chainId !== chainId) throw new TypeError('An order is not for the chain of its sender')
      const to = executorOf(order, [executor, ...formerExecutors])
      const call = { to, data: orderCall(order), value: BigInt(order.nativeFee), gas: BigInt(order.gasLimit) }
      return signed(account, { chainId, nonce, ...call }, fee)
    },
    async filler(senderId, nonce, fee) {
      const { chainId, account } = senderOf(senderId)
      return signed(account, { chainId, nonce, to: account.address, value: 0n, gas: fillerGas }, fee)
    },
  }
}

const idOf = (key: ChainKey, address: Address): string => `${key}:${address}`

type Unsigned = { chainId: ChainId; nonce: number; to: Address; value: bigint; gas: bigint; data?: Hex }

/** Each replacement raises the tip: a node that shows none of them as mined ends that here. */
const tipTimes = 10n

async function signed(account: PrivateKeyAccount, transaction: Unsigned, { feeCap, tip }: Fee) {
  const tipMaxWei = tipTimes * chainOf(transaction.chainId).tipMaxWei
  const maxPriorityFeePerGas = [tip, feeCap, tipMaxWei].reduce((a, b) => (a < b ? a : b))
  const fees = { maxFeePerGas: feeCap, maxPriorityFeePerGas }
  const bytes = await account.signTransaction({ type: 'eip1559', ...transaction, ...fees })
  return { hash: keccak256(bytes), bytes }
}
