import { lastValueFrom } from 'rxjs'
import { onMarked } from '../../../src/adapters/mongo/engine/collection'
import { retry } from '../../../src/domain/execution/retry'
import { eventAppender } from '../../../src/events/appender'
import type { ViewContext } from '../../../src/http/views/deposit'
import type { Due } from '../../../src/ports/executions'
import type { OwnMark } from '../../../src/ports/webhooks'
import { assignSlots } from '../../../src/routing/delivery/relayer-slots'
import { tend } from '../../../src/routing/delivery/relayer-transactions'
import { advance } from '../../../src/routing/engine/advance'
import { sweep } from '../../../src/routing/engine/wake-ups'
import { confirmations } from './chain'
import { noFaults, type Process } from './loop'
import type { Messages } from './messages'
import { isRush, keys, mintKeys } from './parties'
import { stepsOf } from './view'
import type { World } from './world'

/** Hours between two retries would only be more of the same time. */
const soon = { ...retry, providerMaxMs: retry.maxMs }
/** How many executions a worker carries on at once, as a rule and in a rush. */
const slotCounts = { usual: 4, rush: 16 }
/** What events show and no record holds. */
const shown = async (): Promise<ViewContext> => ({
  findToken: () => null,
  confirmationsRequired: () => confirmations,
  scannedBlock: () => 0,
  now: 0,
  isPlatform: false,
})

/** A worker: it carries executions on, wakes those that are due, tends relayers' transactions, and appends events. */
export class Worker {
  private readonly process: Process
  private lives = 0
  private life!: ReturnType<Worker['boot']>

  constructor(
    private readonly world: World,
    private readonly messages: Messages,
    private readonly number: number,
  ) {
    this.process = world.process(`Worker ${number + 1}`)
    this.life = this.boot()
    world.routinely(1_000, () => this.sweep())
    world.routinely(5_000, () => this.lookAfter())
    world.routinely(5_000, () => this.tend())
    world.routinely(5_000, () => this.log())
    world.whileFaulty(1_000, () => this.disturb())
  }

  get books() {
    return this.life.surroundings.books
  }

  /** State in a process's memory, lost when it dies. */
  private boot() {
    const { city, pauses, chance, bug, onBug } = this.world
    const view = { ...city.viewOf(this.process, `worker-${this.number}-${this.lives++}`) }
    Object.assign(view, bug?.({ ...view }))
    const told = (_: unknown, error: unknown) => onBug(error)
    const surroundings = { ...view, retry: soon, steps: stepsOf(view, pauses), random: chance.roll, onBug: told }
    const lookAfter = () => Promise.all(view.aggregators.map((one) => one.probe()))
    const own: OwnMark[] = []
    onMarked(view.connection, (marks) => void own.push(...(marks ?? [])))
    const appender = eventAppender({ ...view.log!, viewContext: shown, now: view.now, onTrouble: onBug })
    const log = () => appender.round(own.splice(0))
    return { surroundings, lookAfter, log, busy: 0, sweeping: false, tending: false, logging: false, after: -1 }
  }

  wake(id: string, isImmediate: boolean): void {
    const { life, process } = this
    const { city, loop, seed } = this.world
    if (life.busy >= slotCounts[isRush(seed) ? 'rush' : 'usual'] || process.isFrozen) {
      loop.after(2_000, () => this.wake(id, isImmediate))
      return
    }
    life.busy += 1
    const free = () => {
      life.busy -= 1
    }
    const carried = () => lastValueFrom(advance(id, isImmediate, life.surroundings), { defaultValue: null })
    void process.work(`carries on ${city.users.nameOf(id)}`, carried).then(free, free)
  }

  private sweep(): void {
    const { life, process } = this
    const { city, isCalm } = this.world
    if (life.sweeping || process.isFrozen || (isCalm() && !city.isAnyDue(process.now()))) return
    life.sweeping = true
    const wake = (due: Due) => process.ask(async () => this.messages.send(due), undefined, 'wake')
    const { sweep: round = sweep } = life.surroundings
    void process.work('sweeps', async () => {
      const ports = { ...life.surroundings, wake, onRefused: () => {} }
      life.after = await round(ports, life.after).catch(() => -1)
      life.sweeping = false
    })
  }

  private lookAfter(): void {
    const { city, isCalm } = this.world
    // In the calm, there is nothing to look after unless a provider's circuit is open.
    if (this.process.isFrozen || (isCalm() && !city.isAnyShut)) return
    void this.process.work('looks after the providers', () => this.life.lookAfter()).catch(() => {})
  }

  private tend(): void {
    const { life, process } = this
    const { city, isCalm } = this.world
    if (life.tending || process.isFrozen || (isCalm() && !city.isAnySlotTaken)) return
    life.tending = true
    const { surroundings } = life
    const relaying = { ...surroundings, wakes: { wakeNow: this.messages.wakeNow } }
    const { chains } = surroundings
    const tended = [
      ...keys.map((key) => ({ key, chain: chains[8453] })),
      ...(city.circle ? mintKeys : []).map((key) => ({ key, chain: chains[42161] })),
    ]
    void process.work('tends the relayers’ transactions', async () => {
      for (const { key, chain } of tended)
        await tend(key, { ...relaying, chain })
          .then(() => assignSlots(key, { ...relaying, chain }))
          .catch(() => {})
      life.tending = false
    })
  }

  private log(): void {
    const { life, process } = this
    if (life.logging || process.isFrozen || !this.world.city.isAnyMarked) return
    life.logging = true
    void process.work('appends events', async () => {
      await life.log().catch(() => {})
      life.logging = false
    })
  }

  private disturb(): void {
    const { chance, faults, isCalm } = this.world
    if (isCalm()) return void Object.assign(faults, noFaults)
    if (chance.chance(faults.crash)) {
      this.process.die()
      this.life = this.boot()
    }
    if (chance.chance(faults.freeze)) this.process.freeze(chance.between(5_000, 120_000))
  }
}
