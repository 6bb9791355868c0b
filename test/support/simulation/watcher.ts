import { sweptTo } from '../../../src/detection/chains/chain-lease'
import { readTransaction } from '../../../src/detection/chains/read-transaction'
import { scanBlocks, showSightings } from '../../../src/detection/chains/scan-blocks'
import type { AddressMap } from '../../../src/detection/intake/address-map'
import { isDepositOn } from '../../../src/detection/intake/incoming-transfer'
import type { ChainId } from '../../../src/domain/chain/chain'
import type { Address, Hash } from '../../../src/domain/chain/hex'
import type { Wakes } from '../../../src/ports/wakes'
import { token } from '../deposits'
import { usualTokens } from '../outage'
import type { City } from './city'
import type { Process } from './loop'
import { isAccount, ownerOf } from './parties'
import { type Bug, intakeOf } from './view'

export const chainId: ChainId = 8453

/** Every account of this world, which no process has to load. */
export const accounts = {
  has: isAccount,
  find: async (address: Address) => {
    if (!isAccount(address)) return null
    const { account: id, organizationId, userId } = ownerOf(address)
    return { id, organizationId, userId }
  },
  refresh: async () => {},
} as unknown as AddressMap

/** A process that watches the chain: it scans blocks, shows unconfirmed transfers, and reads webhooks. */
export class Watcher {
  private isScanning = false
  private detection!: ReturnType<Watcher['boot']>
  private lives = 0

  constructor(
    private readonly city: City,
    private readonly process: Process,
    private readonly wakes: Pick<Wakes, 'wakeNow'>,
    private readonly bug: Bug | null,
  ) {
    this.detection = this.boot()
  }

  /** State in the memory of the process. */
  private boot() {
    const view = { ...this.city.viewOf(this.process, `${this.process.name}-${this.lives++}`) }
    Object.assign(view, this.bug?.({ ...view }))
    const { executions, chains, now, scannedTo } = view
    const { sightings, cursors } = view.watching!
    const chain = chains[chainId]
    const own = intakeOf(view, this.wakes)
    const taking = this.city.watchingIntake({ ...own, ...view.intake?.(own) })
    const scan = { chain, accounts, intake: taking, tokens: () => [token] }
    const scanning = { ...scan, cursors, executions, now, fromBlock: 0, onReorg: () => {} }
    const reading = {
      ...{ chains, accounts, intake: taking, executions, scannedTo, sweptTo: sweptTo(cursors) },
      isScanned: () => true,
      isDeposit: isDepositOn(usualTokens),
      unsupported: { pointed: async () => 'IGNORED' as never },
    }
    return {
      scanner: scanBlocks({ ...scanning, ...view.scanning?.(scanning) }),
      show: showSightings({ ...scan, sightings, executions }),
      read: readTransaction({ ...reading, ...view.reading?.(reading) }),
    }
  }

  /** It loses its memory. */
  restart(): void {
    this.process.die()
    this.isScanning = false
    this.detection = this.boot()
  }

  scan(): void {
    if (this.isScanning || this.process.isFrozen) return
    this.isScanning = true
    const { scanner, show } = this.detection
    const round = async () => {
      const { position, head } = await scanner.positionAndHead()
      const { cursor, ahead } = await scanner.scan(new AbortController().signal, head, position)
      if (cursor) await show(head, cursor.scannedBlock, ahead)
    }
    void this.process.work('scans', async () => {
      await round().catch(() => {})
      this.isScanning = false
    })
  }

  /** Reads the transaction that a webhook names. */
  point(hash: Hash): void {
    if (this.process.isFrozen) return
    void this.process.work('reads a webhook', () => this.detection.read(chainId, hash, 'WEBHOOK').catch(() => {}))
  }
}
