import type { Address, Hex } from '../../domain/chain/hex'
import { type Receipt, type Rpc, RpcRefusal } from '../rpc/rpc'
import type { DevAccount } from './accounts'
import type { ChainWatch } from './chain-watch'

type Outgoing = { to: Address; data?: Hex; value?: bigint; gas: bigint }

const triesMax = 3
const receiptWithinMs = 60_000

/**
 * Sends transactions from one key on one chain, with nonces in order, for any number of simultaneous calls. Other
 * senders may use the key as well.
 */
export class ChainSender {
  private queue: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly rpc: Rpc,
    private readonly chainId: number,
    private readonly account: DevAccount,
  ) {}

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
    // senders.
    const nonce = Number(await this.rpc.ask('eth_getTransactionCount', this.account.address, 'pending'))
    const bytes = await this.account.signTransaction({ ...fees, chainId: this.chainId, nonce, to, data, value, gas })
    try {
      return await this.rpc.ask('eth_sendRawTransaction', bytes)
    } catch (error) {
      const isNonceTaken = error instanceof RpcRefusal && /nonce|underpriced|already/i.test(error.message)
      if (!isNonceTaken || triesLeft === 0) throw error
      return this.sendInTurn(outgoing, triesLeft - 1)
    }
  }
}

/** Waits for the receipt of a transaction. It resolves as soon as the block is mined. */
export async function receiptOf(rpc: Rpc, watch: ChainWatch, hash: Hex, withinMs = receiptWithinMs): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      unsubscribe()
      end()
    }
    const timer = setTimeout(() => settle(() => reject(new Error(`${hash} was not mined in time`))), withinMs)
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
