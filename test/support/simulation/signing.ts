import type { Hex } from '../../../src/domain/chain/hex'
import type { Order } from '../../../src/domain/execution/route'
import type { OrderSigner, Relayers } from '../../../src/ports/signer'
import { orderDigest } from '../../../src/protocols/executor/signed-order'
import type { RouteRule } from '../../../src/signer/function-rule'
import { signableOf } from '../../../src/signer/policy-signer'
import { signing } from '../../../src/signer/signing'
import { believing } from '../appraisers'
import { addressOf } from '../deposits'
import { seals } from '../seals'
import type { Chain } from './chain'
import { keys, ownerOf, registry } from './parties'

const collector = addressOf(0xfe)
const executors = { executor: addressOf(0xe1), recoveryExecutor: addressOf(0xe2) }
const policy = { ...executors, registry, collector }

/** Whether an order has the terms that were signed, as the executor checks by its signature. */
export function isAsSigned(order: Order): boolean {
  const executor = order.kind === 'REFUND' ? executors.recoveryExecutor : executors.executor
  return order.id === orderDigest(order, { chainId: order.chainId, executor })
}

/** The product's signer, with a key whose signatures say nothing: the digest is the proof. */
export function orderSigner(rules: readonly RouteRule[], onRefused: (why: string) => void): OrderSigner {
  const settings = { ...policy, rules, seals, appraiser: believing, fee: async () => ({ feeCap: 10n, tip: 1n }) }
  const key = { address: addressOf(0x51), sign: async () => '0x' as Hex }
  const { sign } = signing({ ...settings, key })
  return {
    sign: (execution, deadline) => {
      const { accountSalt } = ownerOf(execution.deposit.account)
      const request = { execution: signableOf(execution), deadline, accountSalt, organization: null }
      return sign(request).catch((error) => {
        onRefused(error.cause?.message ?? error.message)
        throw error
      })
    },
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
