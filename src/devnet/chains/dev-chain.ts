import { decodeFunctionResult, encodeFunctionData, erc20Abi, toHex } from 'viem'
import { type ChainId, type ChainKey, chains } from '../../domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../domain/chain/hex'
import { devnetClock } from '../devnet-clock'
import type { Receipt, Rpc } from '../rpc/rpc'
import { accounts } from './accounts'
import { startAnvil } from './anvil'
import { ChainSender, receiptOf } from './chain-sender'
import { ChainWatch } from './chain-watch'
import { deploy } from './deploy'

export type DevChain = {
  key: ChainKey
  id: ChainId
  rpc: Rpc
  port: number
  pid: number
  exited: Promise<number>
  producer: BlockProducer
  watch: ChainWatch
  faucet: ChainSender
  solver: ChainSender
  receiptOf(hash: Hex): Promise<Receipt>
  balanceOf(token: Address, owner: Address): Promise<bigint>
  stop(): Promise<void>
}

type DevChainOptions = {
  key: ChainKey
  dir: string
  genesisTime: number
  blockTimeSeconds: number
  isEmpty?: boolean
  port?: number
  report: (line: string) => void
}

/** Starts one chain of the devnet: its node with contracts and tokens, mining and watched, and senders for two keys. */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const { key, genesisTime, blockTimeSeconds, isEmpty = false, report } = options
  const id = chains[key].id
  const anvil = await startAnvil({ ...options, id })
  const { rpc } = anvil
  const watch = new ChainWatch(rpc, (why) => report(`${key}: ${why}`))
  const producer = new BlockProducer(rpc, blockTimeSeconds * 1000)
  const stop = () => {
    producer.stop()
    watch.stop()
    return anvil.stop()
  }
  try {
    await deploy(rpc, id, { genesisTime, isEmpty })
    watch.onPending(() => producer.onTraffic())
    await watch.start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    key,
    id,
    rpc,
    port: anvil.port,
    pid: anvil.pid,
    exited: anvil.exited,
    producer,
    watch,
    faucet: new ChainSender({ rpc, id, watch, producer }, accounts.faucet),
    solver: new ChainSender({ rpc, id, watch, producer }, accounts.solver),
    receiptOf: (hash) => receiptOf(rpc, watch, hash),
    balanceOf: (token, owner) => balanceOf(rpc, token, owner),
    stop,
  }
}

async function balanceOf(rpc: Rpc, token: Address, owner: Address): Promise<bigint> {
  if (token === zeroAddress) return BigInt(await rpc.ask('eth_getBalance', owner, 'latest'))
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  const answer = await rpc.ask('eth_call', { to: token, data, gas: toHex(500_000) }, 'latest')
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: answer })
}

const quietAfterMs = 15_000

/**
 * Mines blocks quickly and evenly while there is traffic. An idle chain mines only one block a second, because ten
 * blocks a second would fill the memory overnight.
 */
class BlockProducer {
  private lastTrafficAt = 0
  private running = false
  private paused = false
  /** Number of reorganizations so far. A stop counts as one: no transaction is sent again after it. */
  reorganizations = 0

  constructor(
    private readonly rpc: Rpc,
    private readonly blockTimeMs: number,
  ) {}

  get isMining(): boolean {
    return !this.paused
  }

  /** Call this when a transaction was sent. The next block then comes within `blockTimeMs`. */
  onTraffic(): void {
    this.lastTrafficAt = devnetClock()
    if (!this.running && !this.paused && this.blockTimeMs < 1000) void this.run()
  }

  async pause(): Promise<void> {
    this.paused = true
    await this.rpc.ask('evm_setIntervalMining', 0)
  }

  async resume(): Promise<void> {
    if (!this.paused) return
    this.paused = false
    await this.rpc.ask('evm_setIntervalMining', 1)
    this.onTraffic()
  }

  /** Mines blocks immediately, even on a paused chain. */
  async mine(blocks: number): Promise<void> {
    for (let mined = 0; mined < blocks; mined++) await this.rpc.ask('evm_mine')
  }

  /** Replaces the last blocks by empty ones. Their transactions are lost. @returns the number of the newest block. */
  async reorganize(depth: number): Promise<Hex> {
    this.reorganizations++
    await this.rpc.ask('anvil_reorg', depth, [])
    return this.rpc.ask('eth_blockNumber')
  }

  stop(): void {
    this.paused = true
    this.reorganizations++
  }

  private async run(): Promise<void> {
    this.running = true
    let next = devnetClock()
    while (!this.paused && devnetClock() - this.lastTrafficAt < quietAfterMs) {
      next = Math.max(next + this.blockTimeMs, devnetClock())
      await Bun.sleep(next - devnetClock())
      if (this.paused || !(await this.rpc.ask('evm_mine').catch(() => null))) break
    }
    this.running = false
  }
}
