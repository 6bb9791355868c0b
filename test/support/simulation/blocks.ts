import { blockMs, chainSeconds, confirmations } from './chain'
import type { Circle } from './circle'
import type { City } from './city'
import { type Dice, dice } from './loop'
import { isDeep, isSetBack } from './parties'
import type { World } from './world'

/** Base fees, in wei. */
const fees = { usual: 10n, dear: 1_000n }

/** Makes the blocks of both chains, some of which vanish. For a while gas is dear, or routing is paused. */
export function makeBlocks(world: World): void {
  const { chance, city, isCalm, loop, weather } = world
  let dearUntil = 0
  const untilIn = (ms: number, what: string): number => {
    loop.narrate(`${what} for ${Math.round(ms / 1_000)} s`)
    return loop.time + ms
  }
  const fee = () => (loop.time < dearUntil ? fees.dear : fees.usual)
  world.every(blockMs, () => {
    city.bridge.isAway = loop.time < world.awayUntil
    city.bridge.isMixedUp = !isCalm() && world.has('provider-errors')
    city.chain.lying = isCalm() ? 0 : weather.lies
    if (!isCalm() && chance.chance(weather.halts))
      world.pausedUntil = untilIn(chance.between(5_000, 60_000), 'Routing pauses')
    if (!isCalm() && chance.chance(weather.spikes))
      dearUntil = untilIn(chance.between(5_000, 90_000), 'Gas is too dear')
    if (!isCalm() && chance.chance(weather.reorgs)) city.chain.reorg(Math.ceil(chance.between(0, 5)))
    city.chain.mine(chainSeconds(loop.time), fee())
  })
  if (city.circle) makeMintBlocks(world, city.circle, fee)
}

/** Makes the blocks of the chain where Circle mints. */
function makeMintBlocks(world: World, circle: Circle, fee: () => bigint): void {
  const { city, isCalm, loop, weather } = world
  const luck = dice(world.seed + 64)
  world.every(blockMs, () => {
    circle.pause()
    circle.there.lying = city.chain.lying
    if (!isCalm() && luck.chance(weather.reorgs)) circle.there.reorg(1 + luck.below(3))
    circle.there.mine(chainSeconds(loop.time), fee())
  })
  world.whileFaulty(blockMs, () => circle.mintByStranger())
}

/** Depth of a reorganization that removes confirmed blocks, too. */
const depthOf = ({ below }: Dice): number => confirmations + 1 + below(18)

/** Lets confirmed blocks vanish: once after a deposit, and twice with a new order. */
export function dropConfirmedBlocks(world: World): void {
  const { city, loop, seed } = world
  if (!isDeep(seed) || !world.has('deep-reorganizations')) return
  const luck = dice(seed + 49)
  const { onArrival } = city.users
  const drop = () => city.dropConfirmed(depthOf(luck))
  const after = 2 + luck.below(9)
  let arrived = 0
  city.users.onArrival = (hash) => {
    onArrival(hash)
    arrived += 1
    if (arrived === after) loop.after(luck.between(0, 25_000), drop, null)
  }
  let left = 2
  world.whileFaulty(blockMs, () => {
    if (left === 0 || !city.chain.hasNewOrders || !luck.chance(0.3)) return
    left -= 1
    drop()
  })
}

/** Whether a scan that is set back reads a block again in which the sweep found money. */
const hasNewFinds = ({ chain, executions }: City): boolean =>
  executions.all().some(({ deposit }) => deposit.txHash === null && deposit.block > chain.tip.number - 40)

/** Sets the scan back up to four times, while the sweep finds money: confirmed blocks without orders vanish. */
export function setScanBack(world: World): void {
  const { city, seed } = world
  if (!isSetBack(seed) || !world.has('deep-reorganizations')) return
  const luck = dice(seed + 70)
  let left = 4
  world.whileFaulty(blockMs, () => {
    const depth = depthOf(luck)
    if (left === 0 || !hasNewFinds(city) || city.chain.hasOrdersIn(depth) || !luck.chance(0.15)) return
    left -= 1
    city.dropConfirmed(depth)
  })
}
