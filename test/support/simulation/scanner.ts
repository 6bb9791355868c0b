import { executionMachine } from '../../../machines/execution'
import { depositIdOf, newExecution } from '../../../src/domain/execution/execution'
import type { Executions } from '../../../src/ports/executions'
import { depositOf } from '../deposits'
import type { Chain } from './chain'
import type { Loop, Process } from './loop'
import { ownerOf } from './parties'

/** Records every confirmed deposit, and advances the cursor only then. */
export class Scanner {
  /** The last block whose deposits are stored. */
  scanned = 0
  private isScanning = false

  constructor(
    private readonly loop: Loop,
    private readonly chain: Chain,
    private readonly clerk: Process,
    private readonly executions: Executions,
  ) {}

  scan(): void {
    if (this.isScanning) return
    this.isScanning = true
    void this.clerk.work('scans', async () => {
      await this.record()
      this.isScanning = false
    })
  }

  private async record(): Promise<void> {
    const { number } = this.chain.standing
    for (const block of this.chain.blocks.slice(this.scanned + 1, number + 1))
      for (const { hash, account, amount, from, isSilent } of block.arrivals) {
        if (isSilent) continue
        const deposit = {
          ...depositOf(0, { account, amountRaw: String(amount), block: block.number, txHash: hash }),
          fromAddress: from,
          detectedAt: this.loop.time,
        }
        const id = depositIdOf(8453, hash, 0)
        const machineVersion = executionMachine.version!
        const { organizationId, userId } = ownerOf(account)
        const seen = { id, organizationId, userId, deposit, machineVersion }
        await this.executions.save(newExecution(seen, this.clerk.now()))
      }
    this.scanned = Math.max(this.scanned, number)
  }
}
