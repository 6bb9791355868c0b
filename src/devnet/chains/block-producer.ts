import type { Hex } from '../../domain/chain/hex'
import type { Rpc } from '../rpc/rpc'

const quietAfterMs = 15_000

/**
 * Mines a fast and steady beat while there is traffic; an idle chain mines a block a second by itself. Ten blocks a
 * second for a whole night would fill the memory, one a second does not.
 */
export class BlockProducer {
  private lastTrafficAt = 0
  private running = false
  private paused = false

  constructor(
    private readonly rpc: Rpc,
    private readonly blockTimeMs: number,
  ) {}

  get mining(): boolean {
    return !this.paused
  }

  /** Somebody sent something: the next block comes within one beat. */
  traffic(): void {
    this.lastTrafficAt = Date.now()
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
    this.traffic()
  }

  /** Blocks by hand, on a paused chain too. */
  async mine(blocks: number): Promise<void> {
    for (let mined = 0; mined < blocks; mined++) await this.rpc.ask('evm_mine')
  }

  /** The last blocks are replaced by others without their transactions, which are gone. */
  async reorganize(depth: number): Promise<Hex> {
    await this.rpc.ask('anvil_reorg', depth, [])
    return this.rpc.ask('eth_blockNumber')
  }

  stop(): void {
    this.paused = true
  }

  private async run(): Promise<void> {
    this.running = true
    let next = Date.now()
    while (!this.paused && Date.now() - this.lastTrafficAt < quietAfterMs) {
      next = Math.max(next + this.blockTimeMs, Date.now())
      await Bun.sleep(next - Date.now())
      if (this.paused || !(await this.rpc.ask('evm_mine').catch(() => null))) break
    }
    this.running = false
  }
}
