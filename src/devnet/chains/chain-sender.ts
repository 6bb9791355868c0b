import { keccak256 } from 'viem'
import type { Address, Hex } from '../../domain/chain/hex'
import { type Receipt, type Rpc, RpcRefusal } from '../rpc/rpc'
import { startMsMax } from '../servers/until-ready'
import type { DevAccount } from './accounts'
import type { ChainWatch } from './chain-watch'

type Outgoing = { to: Address; data?: Hex; value?: bigint; gas: bigint }

const triesMax = 3
/** Interval at which the transactions that are not mined yet are requested from the node. */
const resendMs = 2_000
const resendsMax = startMsMax / resendMs

type Sending = { rpc: Rpc; id: number; watch: ChainWatch; producer: { reorganizations: number } }
/** A signed transaction that is not mined yet. `reorganizations`: how many the chain had when it was sent. */
type Unmined = { bytes: Hex; nonce: number; polls: number; reorganizations: number }

/**
 * Sends transactions from one key on one chain, with nonces in order, for any number of simultaneous calls. Other
 * senders may use the key as well. On a busy machine, anvil can drop a transaction that it has accepted, so the same
 * bytes are sent again until they are in a block. A reorganization may still remove them.
 */
export class ChainSender {
  private queue: Promise<unknown> = Promise.resolve()
  private readonly unmined = new Map<Hex, Unmined>()
  private isPolling = false

  constructor(
    private readonly chain: Sending,
    private readonly account: DevAccount,
  ) {
    chain.watch.onBlock(({ receipts }) => {
      for (const { transactionHash } of receipts) this.unmined.delete(transactionHash)
    })
  }

  /** Sends a transaction. @returns its hash once the node has accepted it. */
  send(outgoing: Outgoing): Promise<Hex> {
    const sent = this.queue.then(() => this.sendInTurn(outgoing))
    this.queue = sent.catch(() => {})
    return sent
  }

  private async sendInTurn(outgoing: Outgoing, triesLeft = triesMax): Promise<Hex> {
    const { to, data = '0x', value = 0n, gas } = outgoing
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    // The node counts pending transactions too, and its count stays correct after a reorganization and with other
    // senders. It leaves out dropped transactions.
    const counted = Number(await this.chain.rpc.ask('eth_getTransactionCount', this.account.address, 'pending'))
    const nonce = Math.max(counted, ...this.current().map((sent) => sent.nonce + 1))
    const bytes = await this.account.signTransaction({ ...fees, chainId: this.chain.id, nonce, to, data, value, gas })
    const { reorganizations } = this.chain.producer
    try {
      const hash = await this.chain.rpc.ask('eth_sendRawTransaction', bytes)
      this.unmined.set(hash, { bytes, nonce, polls: 0, reorganizations })
      if (!this.isPolling) void this.pollUntilMined()
      return hash
    } catch (error) {
      const isNonceTaken = error instanceof RpcRefusal && /nonce|underpriced|already/i.test(error.message)
      if (!isNonceTaken || triesLeft === 0) throw error
      return this.sendInTurn(outgoing, triesLeft - 1)
    }
  }

  /** The unmined transactions that no reorganization has removed. */
  private current(): Unmined[] {
    for (const [hash, { reorganizations }] of this.unmined)
      if (reorganizations !== this.chain.producer.reorganizations) this.unmined.delete(hash)
    return [...this.unmined.values()]
  }

  private async pollUntilMined(): Promise<void> {
    this.isPolling = true
    while (this.unmined.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, resendMs).unref())
      for (const sent of this.current()) await this.poll(sent).catch(() => {}) // the node is away, or has stopped
    }
    this.isPolling = false
  }

  private async poll(sent: Unmined): Promise<void> {
    const hash = keccak256(sent.bytes)
    const { rpc } = this.chain
    if (++sent.polls > resendsMax) return void this.unmined.delete(hash)
    const transaction = await rpc.ask<{ blockNumber: Hex | null } | null>('eth_getTransactionByHash', hash)
    if (transaction?.blockNumber) return void this.unmined.delete(hash)
    if (transaction || !this.current().includes(sent)) return
    await rpc.ask('eth_sendRawTransaction', sent.bytes).catch((error) => {
      if (error instanceof RpcRefusal) this.unmined.delete(hash) // another sender has used its nonce
      throw error
    })
  }
}

/** A node that is suspended takes requests and never answers. */
function whereabouts(rpc: Rpc, hash: Hex): Promise<string> {
  const silence = new Promise<never>((_, reject) =>
    setTimeout(reject, resendMs, new Error(`no answer within ${resendMs / 1000} s`)),
  )
  return Promise.race([rpc.ask<object | null>('eth_getTransactionByHash', hash), silence]).then(
    (transaction) => `the node ${transaction ? 'has it' : 'does not have it'}`,
    (error) => `the node does not respond: ${error.message}`,
  )
}

/** Waits for the receipt of a transaction. It resolves as soon as the block is mined. */
export async function receiptOf(rpc: Rpc, watch: ChainWatch, hash: Hex, withinMs = startMsMax): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      unsubscribe()
      end()
    }
    const timer = setTimeout(async () => {
      const instead = await whereabouts(rpc, hash)
      settle(() => reject(new Error(`${hash} was not mined within ${withinMs / 1000} s; ${instead}`)))
    }, withinMs)
    const unsubscribe = watch.onBlock(({ receipts }) => {
      const receipt = receipts.find((each) => each.transactionHash === hash)
      if (receipt) settle(() => resolve(receipt))
    })
    rpc.ask<Receipt | null>('eth_getTransactionReceipt', hash).then(
      (receipt) => receipt && settle(() => resolve(receipt)),
      () => {},
    )
  })
}
