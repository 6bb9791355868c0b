import { retry } from '../../../src/domain/execution/retry'
import { wakeMessageId, wakeRepeat } from '../../../src/domain/wake-messages'
import type { Due } from '../../../src/ports/executions'
import type { Pause, Pauses } from '../../../src/ports/operators'
import { assignSlots } from '../../../src/routing/delivery/relayer-slots'
import { tend } from '../../../src/routing/delivery/relayer-transactions'
import { advance } from '../../../src/routing/engine/advance'
import { sweep } from '../../../src/routing/engine/wake-ups'
import { blockMs, chainSeconds } from './chain'
import { City, faultsEndMs, isRush, keys } from './city'
import { dice, type Faults, Loop, Process } from './loop'
import { type Bug, stepsOf } from './view'

const workerCount = 3
/** Hours between two retries would only be more of the same time. */
const soon = { ...retry, providerMaxMs: retry.maxMs }
/** How many executions a worker carries on at once, as a rule and in a rush. */
const slotCounts = { usual: 4, rush: 16 }
const patienceMs = 90 * 60_000
const dedupeMs = 15_000
const none: Faults = { lostQuestion: 0, lostAnswer: 0, slow: 0, crash: 0, freeze: 0, skewMs: 0 }

/**
 * Runs one small world from one seed. Faults happen for ten minutes, and then every execution must end.
 *
 * @param bug A planted bug. The world stops once it is found.
 */
export async function simulate(seed: number, bug: Bug | null = null, onBug = (_error: unknown) => {}) {
  const loop = new Loop()
  const chance = dice(seed + 7)
  // Fault rates differ by seed: some worlds have many crashes and no lost responses, others the reverse.
  const weather = (most: number) => (chance.chance(0.3) ? 0 : chance.between(0, most))
  // Losses cost retries. In a rush with many executions, each would lose too often at the full rate.
  const losses = isRush(seed) ? 0.2 : 1
  const faults: Faults = {
    lostQuestion: weather(0.05 * losses),
    lostAnswer: weather(0.1 * losses),
    slow: weather(0.05),
    crash: weather(0.03),
    freeze: weather(0.03),
    skewMs: weather(20_000),
  }
  const [lossyMessages, reorgs, spikes, halts] = [weather(0.5), weather(0.15), weather(0.06), weather(0.01)]
  const lies = weather(0.05)
  const city = new City(seed, loop)
  // In one world of five, the provider is unreachable for the faulty ten minutes and up to twenty more. Nothing else is
  // lost in that world, because losses also cost retries.
  const awayUntil = chance.chance(0.2) && !isRush(seed) ? faultsEndMs + chance.between(10, 20) * 60_000 : 0
  if (awayUntil > 0) Object.assign(faults, { lostQuestion: 0, lostAnswer: 0, crash: 0, freeze: 0 })
  if (chance.chance(0.3)) city.empty(keys[0]!, chance.between(0, faultsEndMs))
  // If a node returns wrong nonces, a full key cannot be recognized.
  if (lies === 0) city.crowd(keys[1]!, chance.between(0, faultsEndMs))
  const every = (ms: number, act: () => unknown) =>
    loop.after(chance.between(0, ms), () => {
      act()
      every(ms, act)
    })
  const isCalm = () => loop.time > faultsEndMs

  let pausedUntil = 0
  const pauses: Pauses = { find: () => (loop.time < pausedUntil ? ({} as Pause) : null) }

  const workers = Array.from({ length: workerCount }, (_, n) => {
    const process = new Process(loop, chance, faults)
    /** State in a process's memory, lost when it dies. */
    const boot = () => {
      const view = { ...city.viewOf(process, `worker-${n}`) }
      Object.assign(view, bug?.({ ...view }))
      const told = (_: unknown, error: unknown) => onBug(error)
      const surroundings = { ...view, retry: soon, steps: stepsOf(view, pauses), random: chance.roll, onBug: told }
      const lookAfter = () => Promise.all(view.aggregators.map((one) => one.probe()))
      return { surroundings, lookAfter, busy: 0, sweeping: false, tending: false, after: -1 }
    }
    let self = boot()
    const wake = (id: string, isImmediate: boolean) => {
      const life = self
      if (life.busy >= slotCounts[isRush(seed) ? 'rush' : 'usual'] || process.isFrozen)
        return loop.after(2_000, () => wake(id, isImmediate))
      life.busy += 1
      const free = () => {
        life.busy -= 1
      }
      advance(id, isImmediate, life.surroundings).subscribe({ error: free, complete: free })
    }
    every(1_000, async () => {
      const life = self
      if (life.sweeping || process.isFrozen) return
      life.sweeping = true
      const wakeLater = (due: Due) => process.ask(async () => sendWake(due))
      const { sweep: round = sweep } = life.surroundings
      life.after = await round({ ...life.surroundings, wake: wakeLater, onRefused: () => {} }, life.after).catch(
        () => -1,
      )
      life.sweeping = false
    })
    every(5_000, () => {
      if (!process.isFrozen) void self.lookAfter().catch(() => {})
    })
    every(5_000, async () => {
      const life = self
      if (life.tending || process.isFrozen) return
      life.tending = true
      const { surroundings } = life
      const relaying = { ...surroundings, chain: surroundings.chains[8453], wakes: { wakeNow } }
      for (const key of keys)
        await tend(key, relaying)
          .then(() => assignSlots(key, relaying))
          .catch(() => {})
      life.tending = false
    })
    every(1_000, () => {
      if (isCalm()) return Object.assign(faults, none)
      if (chance.chance(faults.crash)) {
        process.die()
        self = boot()
      }
      if (chance.chance(faults.freeze)) process.freeze(chance.between(5_000, 120_000))
    })
    return { wake }
  })

  /** The message can be lost. */
  const wakeNow = async ({ id }: { id: string }): Promise<void> => {
    if (isCalm() || !chance.chance(lossyMessages)) loop.after(20, () => anyone().wake(id, true))
  }

  const anyone = () => workers[isRush(seed) && chance.chance(0.8) ? 0 : chance.below(workerCount)]!
  const sentAt = new Map<string, number>()
  function sendWake({ id, version, dueAt }: Due): void {
    const wake = wakeMessageId({ id, version, repeat: wakeRepeat(loop.time - dueAt) })
    if (loop.time - (sentAt.get(wake) ?? -dedupeMs) < dedupeMs) return
    sentAt.set(wake, loop.time)
    const copies = isCalm() ? 1 : chance.chance(lossyMessages) ? chance.below(4) : 1
    for (let n = 0; n < copies; n++)
      loop.after(!isCalm() && chance.chance(lossyMessages) ? chance.between(0, 60_000) : 20, () =>
        anyone().wake(id, false),
      )
  }
  // External events at random times: an intent, a webhook, an operator.
  every(7_000, () => {
    const records = city.executions.all()
    if (records.length > 0 && !isCalm()) anyone().wake(records[chance.below(records.length)]!.id, true)
  })

  let dearUntil = 0
  every(blockMs, () => {
    city.bridge.isAway = loop.time < awayUntil
    city.bridge.isMixedUp = !isCalm()
    city.chain.lying = isCalm() ? 0 : lies
    if (!isCalm() && chance.chance(halts)) pausedUntil = loop.time + chance.between(5_000, 60_000)
    if (!isCalm() && chance.chance(spikes)) dearUntil = loop.time + chance.between(5_000, 90_000)
    if (!isCalm() && chance.chance(reorgs)) city.chain.reorg(Math.ceil(chance.between(0, 5)))
    city.chain.mine(chainSeconds(loop.time), loop.time < dearUntil ? 1_000n : 10n)
  })
  every(3_000, () => city.scan())

  const isFound = () => bug !== null && (city.auditor.found.size > 0 || city.chain.refused.length > 0)
  await loop.runUntil(() => isFound() || (isCalm() && city.isSettled), faultsEndMs + patienceMs)
  return { found: city.auditor.close(), city, seconds: loop.time / 1_000 }
}
