import { lastValueFrom } from 'rxjs'
import { onMarked } from '../../../src/adapters/mongo/engine/collection'
import { retry } from '../../../src/domain/execution/retry'
import { wakeMessageId, wakeRepeat } from '../../../src/domain/wake-messages'
import { eventAppender } from '../../../src/events/appender'
import type { ViewContext } from '../../../src/http/views/deposit'
import type { Due } from '../../../src/ports/executions'
import type { Pause, Pauses } from '../../../src/ports/operators'
import type { OwnMark } from '../../../src/ports/webhooks'
import { assignSlots } from '../../../src/routing/delivery/relayer-slots'
import { tend } from '../../../src/routing/delivery/relayer-transactions'
import { advance } from '../../../src/routing/engine/advance'
import { sweep } from '../../../src/routing/engine/wake-ups'
import { Api } from './api'
import { bookFaults } from './books'
import type { SignerBug } from './capped-signer'
import { blockMs, chainSeconds, confirmations } from './chain'
import { City } from './city'
import { dice, type Faults, Loop, noFaults, Process } from './loop'
import { Operator } from './operators'
import { insideOnly } from './outside'
import { faultsEndMs, isDeep, isRush, isServed, keys, laneCount, mintKeys } from './parties'
import { hasTrouble, type Plan, type Trouble } from './plan'
import { Sweeper } from './sweeper'
import { hasSweep } from './users'
import { type Bug, stepsOf } from './view'
import { Watcher } from './watcher'

const workerCount = 3
/** Hours between two retries would only be more of the same time. */
const soon = { ...retry, providerMaxMs: retry.maxMs }
/** How many executions a worker carries on at once, as a rule and in a rush. */
const slotCounts = { usual: 4, rush: 16 }
/** Rounds of routine work are so many times rarer in the calm. */
const calmPace = 4
const patienceMs = 90 * 60_000
const dedupeMs = 15_000
/** What events show and no record holds. */
const shown = async (): Promise<ViewContext> => ({
  findToken: () => null,
  confirmationsRequired: () => confirmations,
  scannedBlock: () => 0,
  now: 0,
  isPlatform: false,
})

type Options = {
  bug?: Bug | null | undefined
  /** Whether the world stops at the first broken rule, as it does by default with a planted bug. */
  isShort?: boolean
  onBug?: ((error: unknown) => void) | undefined
  /** Gets the story, a line an event. */
  report?: ((line: string) => void) | undefined
}

/**
 * Runs one small world. Faults happen for ten minutes, while no rule about safety may break. Then they stop, and every
 * execution must reach the end that it should.
 *
 * @throws If the world used time, chance or a connection that is not simulated.
 */
export async function simulate(
  planned: number | Plan,
  { bug = null, isShort = bug !== null, onBug = () => {}, report }: Options = {},
) {
  const plan: Plan = typeof planned === 'number' ? { seed: planned } : planned
  const { seed } = plan
  const loop = new Loop(report)
  const chance = dice(seed + 7)
  // Fault rates differ by seed: some worlds have many crashes and no lost responses, others the reverse.
  const weather = (most: number, trouble: Trouble) => {
    const rate = chance.chance(0.3) ? 0 : chance.between(0, most)
    return hasTrouble(plan, trouble) ? rate : 0
  }
  // Losses cost retries. In a rush with many executions, each would lose too often at the full rate.
  const losses = isRush(seed) ? 0.2 : 1
  const faults: Faults = {
    lostQuestion: weather(0.05 * losses, 'lost-requests'),
    lostAnswer: weather(0.1 * losses, 'lost-responses'),
    slow: weather(0.05, 'slow-messages'),
    crash: weather(0.03, 'crashes'),
    freeze: weather(0.03, 'freezes'),
    skewMs: weather(20_000, 'wrong-clocks'),
  }
  const [lossyMessages, reorgs] = [weather(0.5, 'lost-wakes'), weather(0.15, 'reorganizations')]
  const [spikes, halts] = [weather(0.06, 'dear-gas'), weather(0.01, 'pauses')]
  const lies = weather(0.05, 'lying-nodes')
  const city = new City(plan, loop)
  // In one world of five, the provider is unreachable for the faulty ten minutes and up to twenty more. Nothing else is
  // lost in that world, because losses also cost retries.
  const isAway = chance.chance(0.2) && !isRush(seed) && hasTrouble(plan, 'provider-away')
  const awayUntil = isAway ? faultsEndMs + chance.between(10, 20) * 60_000 : 0
  if (awayUntil > 0) {
    Object.assign(faults, { lostQuestion: 0, lostAnswer: 0, crash: 0, freeze: 0 })
    loop.narrate(`The provider is unreachable for ${Math.round(awayUntil / 1_000)} s`)
  }
  if (chance.chance(0.3) && hasTrouble(plan, 'poor-key')) city.empty(keys[0]!, chance.between(0, faultsEndMs))
  // If a node returns wrong nonces, a full key cannot be recognized.
  if (lies === 0 && hasTrouble(plan, 'full-key')) city.crowd(keys[1]!, chance.between(0, faultsEndMs))
  const isCalm = () => loop.time > faultsEndMs
  const every = (ms: number, act: () => unknown, isOver = () => false) =>
    loop.after(chance.between(0, ms), () => {
      act()
      if (!isOver()) every(ms, act, isOver)
    })
  /** Does routine work. In the calm, rounds that find nothing would only be more of the same time. */
  const routinely = (ms: number, act: () => unknown): unknown =>
    loop.after(chance.between(0, isCalm() ? calmPace * ms : ms), () => {
      act()
      routinely(ms, act)
    })

  let pausedUntil = 0
  const pauses: Pauses = { find: () => (loop.time < pausedUntil ? ({} as Pause) : null) }

  const workers = Array.from({ length: workerCount }, (_, n) => {
    const process = new Process(loop, chance, faults, `Worker ${n + 1}`)
    let lives = 0
    /** State in a process's memory, lost when it dies. */
    const boot = () => {
      const view = { ...city.viewOf(process, `worker-${n}-${lives++}`) }
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
    let self = boot()
    const wake = (id: string, isImmediate: boolean): unknown => {
      const life = self
      if (life.busy >= slotCounts[isRush(seed) ? 'rush' : 'usual'] || process.isFrozen)
        return loop.after(2_000, () => wake(id, isImmediate))
      life.busy += 1
      const free = () => {
        life.busy -= 1
      }
      const carried = () => lastValueFrom(advance(id, isImmediate, life.surroundings), { defaultValue: null })
      return process.work(`carries on ${city.users.nameOf(id)}`, carried).then(free, free)
    }
    routinely(1_000, () => {
      const life = self
      if (life.sweeping || process.isFrozen || (isCalm() && !city.isAnyDue(process.now()))) return
      life.sweeping = true
      const wakeLater = (due: Due) => process.ask(async () => sendWake(due), undefined, 'wake')
      const { sweep: round = sweep } = life.surroundings
      void process.work('sweeps', async () => {
        const ports = { ...life.surroundings, wake: wakeLater, onRefused: () => {} }
        life.after = await round(ports, life.after).catch(() => -1)
        life.sweeping = false
      })
    })
    routinely(5_000, () => {
      // In the calm, there is nothing to look after unless a provider's circuit is open.
      if (process.isFrozen || (isCalm() && !city.isAnyShut)) return
      void process.work('looks after the providers', () => self.lookAfter()).catch(() => {})
    })
    routinely(5_000, () => {
      const life = self
      if (life.tending || process.isFrozen || (isCalm() && !city.isAnySlotTaken)) return
      life.tending = true
      const { surroundings } = life
      const relaying = { ...surroundings, wakes: { wakeNow } }
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
    })
    routinely(5_000, () => {
      const life = self
      if (life.logging || process.isFrozen || !city.isAnyMarked) return
      life.logging = true
      void process.work('appends events', async () => {
        await life.log().catch(() => {})
        life.logging = false
      })
    })
    const disturb = () => {
      if (isCalm()) return Object.assign(faults, noFaults)
      if (chance.chance(faults.crash)) {
        process.die()
        self = boot()
      }
      if (chance.chance(faults.freeze)) process.freeze(chance.between(5_000, 120_000))
    }
    every(1_000, disturb, isCalm)
    return { wake, books: () => self.surroundings.books }
  })

  /** The message can be lost. */
  const wakeNow = async ({ id }: { id: string }): Promise<void> => {
    if (isCalm() || !chance.chance(lossyMessages)) loop.after(20, () => anyone().wake(id, true))
  }

  const operating = new Process(loop, dice(seed + 11), faults, 'An operator')
  const operator = new Operator(city, dice(seed + 13), operating, { wakeNow }, bug)
  if (hasTrouble(plan, 'operators')) every(8_000, () => operator.act(), isCalm)

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
  const stir = () => {
    const records = city.executions.all()
    if (records.length > 0 && !isCalm()) anyone().wake(records[chance.below(records.length)]!.id, true)
  }
  if (hasTrouble(plan, 'extra-wakes')) every(7_000, stir, isCalm)

  let dearUntil = 0
  const untilIn = (ms: number, what: string): number => {
    loop.narrate(`${what} for ${Math.round(ms / 1_000)} s`)
    return loop.time + ms
  }
  every(blockMs, () => {
    city.bridge.isAway = loop.time < awayUntil
    city.bridge.isMixedUp = !isCalm() && hasTrouble(plan, 'provider-errors')
    city.chain.lying = isCalm() ? 0 : lies
    if (!isCalm() && chance.chance(halts)) pausedUntil = untilIn(chance.between(5_000, 60_000), 'Routing pauses')
    if (!isCalm() && chance.chance(spikes)) dearUntil = untilIn(chance.between(5_000, 90_000), 'Gas is too dear')
    if (!isCalm() && chance.chance(reorgs)) city.chain.reorg(Math.ceil(chance.between(0, 5)))
    city.chain.mine(chainSeconds(loop.time), loop.time < dearUntil ? 1_000n : 10n)
  })
  const { circle } = city
  if (circle) {
    const luck = dice(seed + 64)
    every(blockMs, () => {
      circle.pause()
      circle.there.lying = city.chain.lying
      if (!isCalm() && luck.chance(reorgs)) circle.there.reorg(1 + luck.below(3))
      circle.there.mine(chainSeconds(loop.time), loop.time < dearUntil ? 1_000n : 10n)
    })
    every(blockMs, () => circle.mintByStranger(), isCalm)
  }
  // Two processes watch the chain, as while a lease passes on.
  const watchers = [1, 2].map((n) => {
    const watching = new Process(loop, dice(seed + 20 + n), faults, `Scanner ${n}`)
    const watcher = new Watcher(city, watching, { wakeNow }, bug)
    // In the calm, one of them is enough.
    routinely(8_000, () => (isCalm() && n > 1) || watcher.scan())
    every(1_000, () => !isCalm() && chance.chance(faults.crash) && watcher.restart(), isCalm)
    return watcher
  })
  city.users.onArrival = (hash) => {
    const point = () => watchers[chance.below(watchers.length)]!.point(hash)
    if (hasTrouble(plan, 'webhooks'))
      for (let n = chance.below(3); n > 0; n--) loop.after(chance.between(0, 60_000), point, null)
  }
  if (hasSweep(plan)) {
    const luck = dice(seed + 45)
    const sweepers = [1, 2].map(
      (n) => new Sweeper(city, luck, new Process(loop, dice(seed + 46 + n), faults, `Sweeper ${n}`), { wakeNow }, bug),
    )
    for (const sweeper of sweepers) {
      routinely(8_000, () => sweeper.sweep())
      every(40_000, () => sweeper.readAgain(), isCalm)
      every(1_000, () => !isCalm() && luck.chance(faults.crash) && sweeper.restart(), isCalm)
    }
  }
  if (isDeep(seed) && hasTrouble(plan, 'deep-reorganizations')) {
    const luck = dice(seed + 49)
    const { onArrival } = city.users
    const drop = () => city.dropConfirmed(confirmations + 1 + luck.below(18))
    const after = 2 + luck.below(9)
    let arrived = 0
    city.users.onArrival = (hash) => {
      onArrival(hash)
      arrived += 1
      if (arrived === after) loop.after(luck.between(0, 25_000), drop, null)
    }
    let left = 2
    const undo = () => {
      if (left === 0 || !city.chain.hasNewOrders || !luck.chance(0.3)) return
      left -= 1
      drop()
    }
    every(blockMs, undo, isCalm)
  }
  const { cappedSigner } = city
  if (cappedSigner) {
    const luck = dice(seed + 50)
    const signerBug: SignerBug = (parts) => bug?.(city.viewOf(operating, 'signer')).signing?.(parts) ?? {}
    cappedSigner.start(signerBug)
    every(1_000, () => !isCalm() && luck.chance(faults.crash) && cappedSigner.restart(signerBug), isCalm)
  }
  if (isServed(seed) && hasTrouble(plan, 'api-requests')) {
    const luck = dice(seed + 66)
    const apis = [1, 2].map(
      (n) => new Api(city, new Process(loop, dice(seed + 67 + n), faults, `API ${n}`), { wakeNow }, bug),
    )
    // Both at the same time, for the same user.
    const put = () => {
      const lane = luck.below(laneCount)
      for (const api of apis) if (luck.chance(0.7)) api.putIntent(lane)
    }
    every(10_000, put, isCalm)
    for (const api of apis) every(1_000, () => !isCalm() && luck.chance(faults.crash) && api.restart(), isCalm)
  }
  let isOver = false
  every(1_000, () => {
    isOver = isCalm() && city.isSettled
  })
  loop.after(faultsEndMs, () => loop.narrate('The faults end'), null)

  const isFound = () => isShort && (city.auditor.found.size > 0 || city.refused.length > 0)
  insideOnly(loop, (isBroken) => loop.runUntil(() => isBroken() || isFound() || isOver, faultsEndMs + patienceMs))
  // At an early stop, nothing has reached its end yet.
  const found = isFound()
    ? [...city.auditor.found, ...city.refused]
    : [
        ...city.close(),
        ...(await bookFaults(city, workers[0]!.books()!).catch(({ message }) => [`ledger: ${message}`])),
      ]
  for (const rule of found) loop.narrate(`Broken: ${rule}`)
  return { found, city, seconds: loop.time / 1_000, digest: loop.digest }
}
