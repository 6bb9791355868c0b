import { Subject } from 'rxjs'
import { toHex } from 'viem'
import type { Hex } from '../domain/hex'
import type { Header, Receipt, Rpc, Transaction } from './rpc'

export type MinedBlock = { header: Header; transactions: Transaction[]; receipts: Receipt[] }

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Tells of every block that holds something, and of every transaction that waits, as the node announces them. */
export class ChainWatch {
  readonly blocks = new Subject<MinedBlock>()
  readonly pending = new Subject<Hex>()
  private socket: WebSocket | null = null
  private stopped = false
  private readonly heads: string[] = []
  private reading = false
  private last: Hex | null = null

  constructor(
    private readonly rpc: Rpc,
    private readonly trouble: (why: string) => void,
  ) {}

  async start(): Promise<void> {
    const socket = new WebSocket(this.rpc.url.replace('http', 'ws'))
    this.socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve()
      socket.onerror = () => reject(new Error(`No WebSocket at ${this.rpc.url}`))
    })
    const kinds = new Map<string, 'head' | 'transaction'>()
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data))
      if (message.id === 1) kinds.set(message.result, 'head')
      else if (message.id === 2) kinds.set(message.result, 'transaction')
      else if (kinds.get(message.params.subscription) === 'head') this.head(message.params.result)
      else this.pending.next(message.params.result)
    }
    socket.onclose = () => this.again()
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newPendingTransactions"]}')
    if (this.last !== null) await this.catchUp(Number(this.last) + 1)
  }

  stop(): void {
    this.stopped = true
    this.socket?.close()
  }

  /** The blocks that came while the connection was lost. */
  private async catchUp(from: number): Promise<void> {
    const head = Number(await this.rpc.ask('eth_blockNumber'))
    for (let number = from; number <= head; number++) {
      const header = await this.rpc.ask<Header | null>('eth_getBlockByNumber', toHex(number), false)
      if (header) this.head(header)
    }
  }

  private head(header: Header): void {
    this.last = header.number
    if (header.transactionsRoot === emptyRoot) return
    this.heads.push(header.hash)
    if (!this.reading) void this.read()
  }

  private async read(): Promise<void> {
    this.reading = true
    for (let hash = this.heads.shift(); hash && !this.stopped; hash = this.heads.shift()) {
      try {
        const block = await this.block(hash)
        if (block) this.blocks.next(block)
      } catch (error) {
        if (!this.stopped) this.trouble(`block ${hash}: ${(error as Error).message}`)
      }
    }
    this.reading = false
  }

  /** Null where the block was reorganized away meanwhile. */
  private async block(hash: string): Promise<MinedBlock | null> {
    const block = await this.rpc.ask<(Header & { transactions: Transaction[] }) | null>(
      'eth_getBlockByHash',
      hash,
      true,
    )
    if (!block) return null
    const receipts = await this.rpc.ask<Receipt[] | null>('eth_getBlockReceipts', block.number)
    if (!receipts || receipts[0]?.blockHash !== block.hash) return null
    return { header: block, transactions: block.transactions, receipts }
  }

  private again(): void {
    if (this.stopped) return
    this.trouble('connection lost, connecting again')
    setTimeout(() => {
      if (!this.stopped) this.start().catch(() => this.again())
    }, 500)
  }
}
