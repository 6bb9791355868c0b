import { hexToNumber, keccak256, serializeTransaction, slice } from 'viem/utils'
import { type ChainId, type ChainKey, chainKeyOf, chainKeys, chainOf, chains } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'
import { type Fee, gasNeedOf } from '../domain/chain/relayer'
import { isMint, type Sendable } from '../domain/execution/mint'
import type { Order } from '../domain/execution/route'
import type { RelayerAddresses, Relayers, SigningKey } from '../ports/signer'
import { mintObjection, mintsBurn } from '../protocols/cctp/mint'
import { batchCall, type Executors, executorOf, orderCall } from '../protocols/executor/signed-order'

/**
 * The gas of a transfer to the key's own address. Rollups include their data fee in it, and unused gas costs nothing.
 */
const fillerGas = 200_000n

/** The relayers by their public addresses. */
export function relayerAddresses(addresses: readonly Address[]): RelayerAddresses {
  const keyOf = (chainId: ChainId, address: Address) => ({ id: idOf(chainKeyOf(chainId), address), address })
  return {
    forRoute(chainId, routeId) {
      if (addresses.length === 0) throw new TypeError('This process has no relayer address')
      return keyOf(chainId, addresses[Number(BigInt(routeId) % BigInt(addresses.length))]!)
    },
    onChain: (chainId) => addresses.map((address) => keyOf(chainId, address)),
  }
}

/** The relayer keys. They sign only our own transactions: no messages and no delegations. */
export function relayers(
  keys: readonly SigningKey[],
  { formerExecutors = [], ...executors }: Executors & { formerExecutors?: readonly Address[] },
): Relayers {
  if (keys.length === 0) throw new RangeError('There is no relayer key')
  const byId = new Map<string, { chainId: ChainId; account: SigningKey }>()
  for (const key of chainKeys)
    for (const account of keys) byId.set(idOf(key, account.address), { chainId: chains[key].id, account })

  const relayerOf = (relayerId: string) => {
    const relayer = byId.get(relayerId)
    if (!relayer) throw new TypeError('This process has no key for a stored relayer')
    return relayer
  }

  const contractOf = (order: Order) => executorOf(order, executors, formerExecutors)
  function mayShare(order: Order): boolean {
    try {
      return contractOf(order) === executors.executor
    } catch {
      return false // the order cannot be sent, and must not hold up others
    }
  }
  function callOf(first: Sendable, also: readonly Sendable[]): Call {
    const { gasLimit, nativeFee } = gasNeedOf([first, ...also])
    const amounts = { value: BigInt(nativeFee), gas: BigInt(gasLimit) }
    if (isMint(first) || also.some(isMint)) {
      if (!isMint(first) || also.length > 0) throw new TypeError('A mint cannot share a transaction')
      const objection = mintObjection(first)
      if (objection) throw new TypeError(`The mint ${objection}`)
      return { to: first.target, data: first.data, ...amounts }
    }
    const others = also.filter((each) => !isMint(each))
    // A transaction to an executor that was replaced since can still need a higher fee.
    if (others.some((each) => contractOf(each) !== contractOf(first) || each.kind === 'REFUND'))
      throw new TypeError('Orders for several contracts cannot share a transaction')
    const data = others.length > 0 ? batchCall([first, ...others]) : orderCall(first)
    return { to: contractOf(first), data, ...amounts }
  }
  return {
    ...relayerAddresses(keys.map(({ address }) => address)),
    async transaction(relayerId, nonce, first, fee, also = []) {
      const { chainId, account } = relayerOf(relayerId)
      if ([first, ...also].some((each) => each.chainId !== chainId))
        throw new TypeError('An order is not for the chain of its relayer')
      return signed(account, { chainId, nonce, ...callOf(first, also) }, fee)
    },
    mayShare,
    mintObjection(mint, order) {
      const objection = mintObjection(mint)
      return objection ?? (mintsBurn(mint.data, order.data, order) ? null : 'belongs to another burn')
    },
    async filler(relayerId, nonce, fee) {
      const { chainId, account } = relayerOf(relayerId)
      return signed(account, { chainId, nonce, to: account.address, value: 0n, gas: fillerGas }, fee)
    },
  }
}

const idOf = (key: ChainKey, address: Address): string => `${key}:${address}`

type Call = { to: Address; value: bigint; gas: bigint; data?: Hex }
type Unsigned = Call & { chainId: ChainId; nonce: number }

/**
 * Limit of the tip, as a multiple of the market's. Each replacement raises it, also if a node never shows one as mined.
 */
const tipTimes = 10n

async function signed(account: SigningKey, transaction: Unsigned, { feeCap, tip }: Fee) {
  const tipMaxWei = tipTimes * chainOf(transaction.chainId).tipMaxWei
  const maxPriorityFeePerGas = [tip, feeCap, tipMaxWei].reduce((a, b) => (a < b ? a : b))
  const fees = { maxFeePerGas: feeCap, maxPriorityFeePerGas }
  const unsigned = { type: 'eip1559', ...transaction, ...fees } as const
  const signature = await account.sign(keccak256(serializeTransaction(unsigned)))
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), hexToNumber(slice(signature, 64))]
  const bytes = serializeTransaction(unsigned, { r, s, yParity: v - 27 })
  return { hash: keccak256(bytes), bytes }
}
