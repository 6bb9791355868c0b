import { wakeMessageId, wakeRepeat } from '../../../src/domain/wake-messages'
import type { Due } from '../../../src/ports/executions'
import { isRush } from './parties'
import type { Worker } from './worker'
import type { World } from './world'

const dedupeMs = 15_000
const usualMs = 20

/** The messages that wake workers. Until the calm they can be lost, late, and delivered several times. */
export class Messages {
  readonly workers: Worker[] = []
  private readonly sentAt = new Map<string, number>()

  constructor(private readonly world: World) {}

  private isUnlucky = (): boolean => this.world.chance.chance(this.world.weather.lossyMessages)

  anyone(): Worker {
    const { chance, seed } = this.world
    return this.workers[isRush(seed) && chance.chance(0.8) ? 0 : chance.below(this.workers.length)]!
  }

  /** The message can be lost. */
  wakeNow = async ({ id }: { id: string }): Promise<void> => {
    const { world } = this
    if (world.isCalm() || !this.isUnlucky()) world.loop.after(usualMs, () => this.anyone().wake(id, true))
  }

  send({ id, version, dueAt }: Due): void {
    const { chance, isCalm, loop } = this.world
    const wake = wakeMessageId({ id, version, repeat: wakeRepeat(loop.time - dueAt) })
    if (loop.time - (this.sentAt.get(wake) ?? -dedupeMs) < dedupeMs) return
    this.sentAt.set(wake, loop.time)
    const copies = isCalm() ? 1 : this.isUnlucky() ? chance.below(4) : 1
    for (let n = 0; n < copies; n++)
      loop.after(!isCalm() && this.isUnlucky() ? chance.between(0, 60_000) : usualMs, () =>
        this.anyone().wake(id, false),
      )
  }

  /** External events at random times: an intent, a webhook, an operator. */
  stir(): void {
    const { chance, city, isCalm } = this.world
    const records = city.executions.all()
    if (records.length > 0 && !isCalm()) this.anyone().wake(records[chance.below(records.length)]!.id, true)
  }
}
