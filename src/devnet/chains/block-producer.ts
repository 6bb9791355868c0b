import type { Hex } from '../../domain/chain/hex'
import { devnetClock } from '../devnet-clock'
import type { Rpc } from '../rpc/rpc'

const quietAfterMs = 15_000

/**
 * Mines blocks quickly and evenly while there is traffic. An idle chain mines only one block a second, because ten
 * blocks a second would fill the memory overnight.
 */
export class BlockProducer {
  private lastTrafficAt = 0
  private running = false
  private paused = false

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
    await this.rpc.ask('anvil_reorg', depth, [])
    return this.rpc.ask('eth_blockNumber')
  }

  stop(): void {
    this.paused = true
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
