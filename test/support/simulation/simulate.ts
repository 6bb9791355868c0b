import { Api } from './api'
import { dropConfirmedBlocks, makeBlocks, setScanBack } from './blocks'
import { bookFaults } from './books'
import type { SignerBug } from './capped-signer'
import { dice, Loop, type Process } from './loop'
import { Messages } from './messages'
import { Operator } from './operators'
import { insideOnly } from './outside'
import { faultsEndMs, isServed, laneCount } from './parties'
import type { Plan } from './plan'
import { Sweeper } from './sweeper'
import { hasSweep } from './users'
import type { Bug } from './view'
import { Watcher } from './watcher'
import { Worker } from './worker'
import { World } from './world'

const workerCount = 3
const patienceMs = 90 * 60_000

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
  const loop = new Loop(report)
  const world = new World(typeof planned === 'number' ? { seed: planned } : planned, loop, bug, onBug)
  const { city, isCalm } = world
  const messages = new Messages(world)
  for (let n = 0; n < workerCount; n++) messages.workers.push(new Worker(world, messages, n))
  const operating = operate(world, messages)
  makeBlocks(world)
  watch(world, messages)
  sweepBalances(world, messages)
  dropConfirmedBlocks(world)
  setScanBack(world)
  signApart(world, operating)
  serve(world, messages)
  let isOver = false
  world.every(1_000, () => {
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
        ...(await bookFaults(city, messages.workers[0]!.books!).catch(({ message }) => [`ledger: ${message}`])),
      ]
  for (const rule of found) loop.narrate(`Broken: ${rule}`)
  return { found, city, seconds: loop.time / 1_000, digest: loop.digest }
}

/** Starts an operator, and lets executions be woken at random. */
function operate(world: World, messages: Messages): Process {
  const { bug, city, seed } = world
  const operating = world.process('An operator', 11)
  const operator = new Operator(city, dice(seed + 13), operating, messages, bug)
  if (world.has('operators')) world.whileFaulty(8_000, () => operator.act())
  if (world.has('extra-wakes')) world.whileFaulty(7_000, () => messages.stir())
  return operating
}

/** Starts two processes that watch the chain, as while a lease passes on. */
function watch(world: World, messages: Messages): void {
  const { bug, chance, city, isCalm, loop } = world
  const watchers = [1, 2].map((n) => {
    const watcher = new Watcher(city, world.process(`Scanner ${n}`, 20 + n), messages, bug)
    // In the calm, one of them is enough.
    world.routinely(8_000, () => (isCalm() && n > 1) || watcher.scan())
    world.crash(watcher, chance)
    return watcher
  })
  city.users.onArrival = (hash) => {
    const point = () => watchers[chance.below(watchers.length)]!.point(hash)
    if (world.has('webhooks'))
      for (let n = chance.below(3); n > 0; n--) loop.after(chance.between(0, 60_000), point, null)
  }
}

/** Starts two processes that compare balances with records. */
function sweepBalances(world: World, messages: Messages): void {
  const { bug, city, plan, seed } = world
  if (!hasSweep(plan)) return
  const luck = dice(seed + 45)
  const sweepers = [1, 2].map((n) => new Sweeper(city, luck, world.process(`Sweeper ${n}`, 46 + n), messages, bug))
  for (const sweeper of sweepers) {
    world.routinely(8_000, () => sweeper.sweep())
    world.whileFaulty(40_000, () => sweeper.readAgain())
    world.crash(sweeper, luck)
  }
}

/** Starts the signer that is a process of its own, if the world has one. */
function signApart(world: World, operating: Process): void {
  const { bug, city, seed } = world
  const { cappedSigner } = city
  if (!cappedSigner) return
  const signerBug: SignerBug = (parts) => bug?.(city.viewOf(operating, 'signer')).signing?.(parts) ?? {}
  cappedSigner.start(signerBug)
  world.crash({ restart: () => cappedSigner.restart(signerBug) }, dice(seed + 50))
}

/** Starts two processes of the API. Both change an intent at the same time, for the same user. */
function serve(world: World, messages: Messages): void {
  const { bug, city, seed } = world
  if (!isServed(seed) || !world.has('api-requests')) return
  const luck = dice(seed + 66)
  const apis = [1, 2].map((n) => new Api(city, world.process(`API ${n}`, 67 + n), messages, bug))
  world.whileFaulty(10_000, () => {
    const lane = luck.below(laneCount)
    for (const api of apis) if (luck.chance(0.7)) api.putIntent(lane)
  })
  for (const api of apis) world.crash(api, luck)
}
