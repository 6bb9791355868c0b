import { toHex } from 'viem'
import type { Hex } from '../../domain/chain/hex'
import type { Header, Receipt, Rpc, Transaction } from '../rpc/rpc'

/** A block with its receipts. `plain` holds the transactions without a log by hash; they may transfer native coin. */
export type MinedBlock = { header: Header; receipts: Receipt[]; plain: Map<Hex, Transaction> }

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

type Listener<Item> = (item: Item) => void | Promise<void>

function added<Item>(listeners: Set<Listener<Item>>, listener: Listener<Item>): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Publishes every block that is not empty, and every pending transaction, as the node announces them. */
export class ChainWatch {
  private readonly blocks = new Set<Listener<MinedBlock>>()
  private readonly pending = new Set<Listener<Hex>>()
  private socket: WebSocket | null = null
  private stopped = false
  private readonly heads: Header[] = []
  private reading = false
  private last: Hex | null = null

  constructor(
    private readonly rpc: Rpc,
    private readonly onTrouble: (reason: string) => void,
  ) {}

  /** @returns a function that ends the calls. */
  onBlock = (listener: Listener<MinedBlock>): (() => void) => added(this.blocks, listener)
  onPending = (listener: Listener<Hex>): (() => void) => added(this.pending, listener)

  async start(): Promise<void> {
    const socket = new WebSocket(this.rpc.url.replace('http', 'ws'))
    this.socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve()
      socket.onerror = () => reject(new Error(`The node at ${this.rpc.url} accepts no WebSocket`))
    })
    const kinds = new Map<string, 'head' | 'transaction'>()
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data))
      if (message.id === 1) kinds.set(message.result, 'head')
      else if (message.id === 2) kinds.set(message.result, 'transaction')
      else if (kinds.get(message.params.subscription) === 'head') this.head(message.params.result)
      else this.publish(this.pending, message.params.result, 'a pending transaction')
    }
    socket.onclose = () => this.reconnect()
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newPendingTransactions"]}')
    if (this.last !== null) await this.catchUp(Number(this.last) + 1)
  }

  stop(): void {
    this.stopped = true
    this.socket?.close()
  }

  /** Reads the blocks that were mined while the connection was lost. */
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
    this.heads.push(header)
    if (!this.reading) void this.read()
  }

  private async read(): Promise<void> {
    this.reading = true
    for (let header = this.heads.shift(); header && !this.stopped; header = this.heads.shift()) {
      try {
        const block = await this.block(header)
        if (block) this.publish(this.blocks, block, `block ${header.hash}`)
      } catch (error) {
        if (!this.stopped) this.onTrouble(`block ${header.hash}: ${messageOf(error)}`)
      }
    }
    this.reading = false
  }

  /**
   * Reads a block, or null if a reorganization has removed it. Only transactions without a log are read in full,
   * because nodes are slow at that.
   */
  private async block(header: Header): Promise<MinedBlock | null> {
    const receipts = await this.rpc.ask<Receipt[] | null>('eth_getBlockReceipts', header.number)
    if (!receipts || receipts[0]?.blockHash !== header.hash) return null
    const withoutLogs = receipts.filter(({ logs, to }) => logs.length === 0 && to !== null)
    const hashes = withoutLogs.map(({ transactionHash }) => transactionHash)
    const plain = await this.rpc.askAll(hashes.map((hash) => ['eth_getTransactionByHash', hash]))
    return { header, receipts, plain: new Map(hashes.map((hash, index) => [hash, plain[index] as Transaction])) }
  }

  /**
   * Calls each listener. Anyone may send these chains anything. A listener that cannot read it must not stop the other
   * listeners or the process.
   */
  private publish<Item>(listeners: ReadonlySet<Listener<Item>>, item: Item, what: string): void {
    const report = (error: unknown) => this.onTrouble(`${what} could not be read by a stand-in: ${messageOf(error)}`)
    for (const listener of [...listeners])
      try {
        void Promise.resolve(listener(item)).catch(report)
      } catch (error) {
        report(error)
      }
  }

  private reconnect(): void {
    if (this.stopped) return
    this.onTrouble('the connection was lost and is being restored')
    setTimeout(() => {
      if (!this.stopped) this.start().catch(() => this.reconnect())
    }, 500)
  }
}
