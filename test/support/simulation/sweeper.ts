import { isScanCurrent } from '../../../src/detection/chains/chain-lease'
import { readRange } from '../../../src/detection/chains/scan-blocks'
import type { AddressMap } from '../../../src/detection/intake/address-map'
import { sweepBalances } from '../../../src/detection/sweeps/sweep-balances'
import { sweepRounds } from '../../../src/detection/sweeps/sweep-rounds'
import type { Address } from '../../../src/domain/chain/hex'
import type { Execution } from '../../../src/domain/execution/execution'
import { sumOf } from '../../../src/domain/money/amount'
import type { Wakes } from '../../../src/ports/wakes'
import { token } from '../deposits'
import { confirmations } from './chain'
import type { City } from './city'
import type { Dice, Process } from './loop'
import { accountList, ownerOf } from './parties'
import { type Bug, intakeOf } from './view'
import { accounts, chainId } from './watcher'

const everyAccount = {
  ...accounts,
  size: accountList.length,
  slice: (from: number, to: number) => accountList.slice(from, to),
} as unknown as AddressMap

/** A process that compares the balances of accounts with their records, and reads ranges of blocks again. */
export class Sweeper {
  private isBusy = false
  private lives = 0
  private sweeping!: ReturnType<Sweeper['boot']>

  constructor(
    private readonly city: City,
    private readonly dice: Dice,
    private readonly process: Process,
    private readonly wakes: Pick<Wakes, 'wakeNow'>,
    private readonly bug: Bug | null,
  ) {
    this.sweeping = this.boot()
  }

  /** State in the memory of the process. */
  private boot() {
    const view = { ...this.city.viewOf(this.process, `${this.process.name}-${this.lives++}`) }
    Object.assign(view, this.bug?.({ ...view }))
    const { chains, now } = view
    const taking = intakeOf(view, this.wakes)
    const own = {
      chain: chains[chainId],
      accounts: everyAccount,
      executions: view.executions,
      intake: taking,
      scannedTo: () => view.scannedTo(chainId),
      isScanCurrent: () => isScanCurrent(view.watching!.cursors)(chains[chainId]),
      onTrouble: () => {},
    }
    const ports = { ...own, ...view.sweeping?.(own) }
    const { sweep, sweepEach } = sweepBalances(ports)
    const hotMs = (confirmations + 5) * 2_000
    const rounds = sweepRounds({ ...ports, sweep, sweepEach, tokens: () => [token], now, hotMs })
    return { rounds, range: readRange({ ...ports, cursors: view.watching!.cursors, tokens: () => [token], sweep }) }
  }

  /** It loses its memory. */
  restart(): void {
    this.process.die()
    this.isBusy = false
    this.sweeping = this.boot()
  }

  private act(task: string, round: () => Promise<unknown>): void {
    if (this.isBusy || this.process.isFrozen) return
    this.isBusy = true
    void this.process.work(task, async () => {
      await round().catch(() => {})
      this.isBusy = false
    })
  }

  sweep(): void {
    const { rounds } = this.sweeping
    this.act('compares balances', async () => {
      await rounds.sweepNamed()
      await rounds.sweepTokens()
    })
  }

  /** Reads blocks again, as an operator requests it. */
  readAgain(): void {
    const from = this.dice.below(this.city.chain.tip.number + 1)
    this.act('reads a range of blocks again', () => this.sweeping.range(from, from + this.dice.below(200)))
  }
}

const spentIn = (records: readonly Execution[]): bigint =>
  sumOf(records.map(({ facts: { spent } }) => BigInt(spent?.amountRaw ?? 0)))

/**
 * Compares the records of each account with what its user and the bridge sent there. No transfer may be recorded twice,
 * and none in part.
 *
 * @param isOver Whether every transfer should be recorded by now.
 */
export function recordingFaults(city: Pick<City, 'executions' | 'users' | 'chain'>, isOver: boolean): string[] {
  const recorded = Map.groupBy(city.executions.all(), ({ deposit }) => deposit.account)
  return accountList.flatMap((account) => {
    const records = recorded.get(account) ?? []
    const first = records.filter(({ redriveOf }) => redriveOf === null)
    const saidRaw = sumOf(first.map(({ deposit }) => BigInt(deposit.amountRaw)))
    const sentRaw = city.users.recordableIn(account)
    const undone = records.filter(({ facts }) => city.chain.hasUndone(facts))
    // Money that came back with a reorganization is found a second time, until its order is mined again.
    const backRaw = spentIn(undone.filter(({ facts }) => city.chain.isLost(facts)))
    const { userId, organizationId } = ownerOf(account as Address)
    const mostRaw = sentRaw + (isOver ? backRaw : spentIn(undone))
    if (saidRaw > mostRaw) return [`a deposit of ${userId} of ${organizationId} is recorded twice`]
    return isOver && saidRaw < sentRaw + backRaw ? [`money of ${userId} of ${organizationId} is not recorded`] : []
  })
}
