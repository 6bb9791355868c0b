import type { Pause, Pauses } from '../../../src/ports/operators'
import { City } from './city'
import { type Dice, dice, type Faults, type Loop, Process } from './loop'
import { faultsEndMs, isRush, keys } from './parties'
import { hasTrouble, type Plan, type Trouble } from './plan'
import type { Bug } from './view'
import { type Weather, weatherOf } from './weather'

/** Rounds of routine work are so many times rarer in the calm. */
const calmPace = 4

/** What the parts of one world share: its time, chance, faults and city, and the planted bug. */
export class World {
  readonly seed: number
  readonly chance: Dice
  readonly weather: Weather
  readonly city: City
  /** Until when the provider is unreachable. */
  readonly awayUntil: number
  /** Until when routing is paused. */
  pausedUntil = 0
  readonly pauses: Pauses = { find: () => (this.loop.time < this.pausedUntil ? ({} as Pause) : null) }

  constructor(
    readonly plan: Plan,
    readonly loop: Loop,
    readonly bug: Bug | null,
    readonly onBug: (error: unknown) => void,
  ) {
    this.seed = plan.seed
    this.chance = dice(plan.seed + 7)
    this.weather = weatherOf(plan, this.chance)
    this.city = new City(plan, loop)
    this.awayUntil = this.providerAway()
    this.troubleKeys()
  }

  get faults(): Faults {
    return this.weather.faults
  }

  /** Whether faults have ended. */
  isCalm = (): boolean => this.loop.time > faultsEndMs
  has = (trouble: Trouble): boolean => hasTrouble(this.plan, trouble)

  /** A process of this world, with chances of its own if it has a number. */
  process(name: string, number?: number): Process {
    return new Process(this.loop, number === undefined ? this.chance : dice(this.seed + number), this.faults, name)
  }

  every(ms: number, act: () => unknown, isOver = () => false): void {
    this.loop.after(this.chance.between(0, ms), () => {
      act()
      if (!isOver()) this.every(ms, act, isOver)
    })
  }

  /** Does something until faults end. */
  whileFaulty = (ms: number, act: () => unknown): void => this.every(ms, act, this.isCalm)

  /** Does routine work. In the calm, rounds that find nothing would only be more of the same time. */
  routinely(ms: number, act: () => unknown): void {
    this.loop.after(this.chance.between(0, this.isCalm() ? calmPace * ms : ms), () => {
      act()
      this.routinely(ms, act)
    })
  }

  /** Restarts a process as often as others crash. */
  crash(process: { restart(): void }, { chance }: Pick<Dice, 'chance'>): void {
    this.whileFaulty(1_000, () => !this.isCalm() && chance(this.faults.crash) && process.restart())
  }

  /**
   * In one world of five, the provider is unreachable for the faulty ten minutes and up to twenty more. Nothing else is
   * lost in that world, because losses also cost retries.
   */
  private providerAway(): number {
    const { chance, loop, seed } = this
    const isAway = chance.chance(0.2) && !isRush(seed) && this.has('provider-away')
    if (!isAway) return 0
    const awayUntil = faultsEndMs + chance.between(10, 20) * 60_000
    Object.assign(this.faults, { lostQuestion: 0, lostAnswer: 0, crash: 0, freeze: 0 })
    loop.narrate(`The provider is unreachable for ${Math.round(awayUntil / 1_000)} s`)
    return awayUntil
  }

  private troubleKeys(): void {
    const { chance, city, weather } = this
    if (chance.chance(0.3) && this.has('poor-key')) city.empty(keys[0]!, chance.between(0, faultsEndMs))
    // If a node returns wrong nonces, a full key cannot be recognized.
    if (weather.lies === 0 && this.has('full-key')) city.crowd(keys[1]!, chance.between(0, faultsEndMs))
  }
}
