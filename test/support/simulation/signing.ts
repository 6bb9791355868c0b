import type { ChainId } from '../../../src/domain/chain/chain'
import type { Hex } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Order } from '../../../src/domain/execution/route'
import type { OrderSigner, Relayers, SigningRequest } from '../../../src/ports/signer'
import { orderDigest } from '../../../src/protocols/executor/signed-order'
import type { RouteRule } from '../../../src/signer/function-rule'
import { signableOf } from '../../../src/signer/policy-signer'
import { relayers } from '../../../src/signer/relayers'
import { signing } from '../../../src/signer/signing'
import { believing } from '../appraisers'
import { addressOf } from '../deposits'
import { seals } from '../seals'
import type { Chain } from './chain'
import { addressOfKey, isMintKey, keys, mintKeys, ownerOf, registry } from './parties'

const collector = addressOf(0xfe)
const executors = { executor: addressOf(0xe1), recoveryExecutor: addressOf(0xe2) }
const policy = { ...executors, registry, collector }

/** Whether an order has the terms that were signed, as the executor checks by its signature. */
export function isAsSigned(order: Order): boolean {
  const executor = order.kind === 'REFUND' ? executors.recoveryExecutor : executors.executor
  return order.id === orderDigest(order, { chainId: order.chainId, executor })
}

/** The product's signing, with a key whose signatures say nothing: the digest is the proof. */
export function signerCore(rules: readonly RouteRule[], onRefused: (why: string) => void) {
  const settings = { ...policy, rules, seals, appraiser: believing, fee: async () => ({ feeCap: 10n, tip: 1n }) }
  const key = { address: addressOf(0x51), sign: async () => '0x' as Hex }
  return {
    signing: signing({ ...settings, key }),
    requestOf: (execution: Execution, deadline: number): SigningRequest => {
      const { accountSalt } = ownerOf(execution.deposit.account)
      return { execution: signableOf(execution), deadline, accountSalt, organization: null }
    },
    /** An order that no execution should have requested. */
    noteRefusal(error: unknown): void {
      if (error instanceof RoutingError) onRefused(error.cause instanceof Error ? error.cause.message : error.message)
    },
  }
}
export type SignerCore = ReturnType<typeof signerCore>

/** The signer inside a worker. */
export const orderSigner = ({ signing: { sign }, requestOf, noteRefusal }: SignerCore): OrderSigner => ({
  sign: (execution, deadline) =>
    sign(requestOf(execution, deadline)).catch((error) => {
      noteRefusal(error)
      throw error
    }),
  draft: async () => ({}) as Order,
})

/** Signs a transaction of a relayer key. */
export const signWith = (chain: Chain, id: string, nonce: number, orders: readonly Order[], fee: Fee) =>
  chain.sign({ key: addressOfKey(id), nonce, orders, fee })
type Fee = Parameters<Relayers['filler']>[2]

/** The product's relayers, whose signatures nothing here reads. */
const { mintObjection } = relayers([{ address: addressOf(0x52), sign: async () => '0x' }], executors)

/** The keys of a chain: of the source, or of the chain where Circle mints. */
const keysOn = (chainId: ChainId) => (chainId === 8453 ? keys : mintKeys)

export function relayersOn(chain: Chain, there: Chain | null): Relayers {
  const chainOf = (id: string): Chain => (isMintKey(id) ? there! : chain)
  return {
    forRoute: (chainId, routeId) => keysOn(chainId)[Number(BigInt(routeId) % BigInt(keys.length))]!,
    onChain: keysOn,
    transaction: async (id, nonce, order, fee, also = []) =>
      signWith(chainOf(id), id, nonce, [order, ...also] as Order[], fee),
    filler: async (id, nonce, fee) => signWith(chainOf(id), id, nonce, [], fee),
    mayShare: () => true,
    mintObjection,
  }
}
