import { asyncScheduler, type SchedulerLike, type Subscription } from 'rxjs'
import type { Execution } from '../../domain/execution/execution'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'
import { handOverSlots } from '../delivery/relayer-slots'
import type { RelayerPorts } from '../delivery/relayer-transactions'

/** A wake-up that is due sooner than this gets a timer. All others are left to the sweeper. */
const soonMs = 3_000

type Ports = Omit<RelayerPorts, 'chain'> & {
  executions: Executions
  wakes: Pick<Wakes, 'wakeNow'>
  chains: Chains
  scheduler?: SchedulerLike | undefined
  onLost: (error: unknown) => void
}

/**
 * Sends the wake-ups that follow from a stored record: its own next look, the deposits that wait behind it in its lane,
 * and those that wait for the slot that its transaction held at the relayer.
 */
export function wakeScheduler({ executions, wakes, chains, onLost, scheduler = asyncScheduler, ...ports }: Ports) {
  const { relayers, now } = ports
  const timers = new Set<Subscription>()
  const underWay = new Set<Promise<void>>()

  function later(record: Execution): void {
    const inMs = record.dueAt! - now()
    if (inMs > soonMs) return
    const wake = (): void => {
      timers.delete(timer)
      void wakes.wakeNow(record).catch(onLost)
    }
    const timer = scheduler.schedule(wake, Math.max(0, inMs) + 1)
    timers.add(timer)
  }

  function handOverSlot({ deposit, facts }: Execution): void {
    const chain = chains[deposit.chainId]
    const sender = facts.transactions?.at(-1)?.sender
    const relayer = relayers.onChain(deposit.chainId).find(({ id }) => id === sender)
    if (!relayer) return
    const handing = handOverSlots(relayer, { ...ports, chain, wakes })
      .catch(onLost)
      .finally(() => underWay.delete(handing))
    underWay.add(handing)
  }

  return {
    /** @param before The record before this write; null when it was just loaded. */
    schedule(before: Execution | null, after: Execution): void {
      if (after.dueAt !== null && after.dueAt > now()) later(after)
      const hasLeft = after.facts.spent !== undefined || after.completedAt !== null
      const hadLeft = before === null || before.facts.spent !== undefined || before.completedAt !== null
      if (hasLeft && !hadLeft) void wakeBehind(after, { executions, wakes }).catch(onLost)
      if (before !== null && !isMined(before) && isMined(after)) handOverSlot(after)
    },
    /** Resolves when the hand-overs that have begun have woken whom they are for. */
    async stop(): Promise<void> {
      for (const timer of timers) timer.unsubscribe()
      timers.clear()
      await Promise.all(underWay)
    },
  }
}

/** Whether a block contains the execution's transaction, so that it no longer holds a slot of its relayer. */
const isMined = ({ facts, completedAt }: Execution): boolean =>
  completedAt !== null || facts.spent !== undefined || (facts.receipt ?? null) !== null

/**
 * How many deposits are woken. Only one of them can take the lane, and waking all would cost the square of their
 * number.
 */
const wokenMax = 4

type BehindPorts = { executions: Pick<Executions, 'waitingForLane'>; wakes: Pick<Wakes, 'wakeNow'> }

/** Wakes the deposits that wait behind one whose money has left its lane or never will. */
export async function wakeBehind({ deposit }: Execution, { executions, wakes }: BehindPorts): Promise<void> {
  for (const waiting of await executions.waitingForLane(deposit.lane, wokenMax)) await wakes.wakeNow(waiting)
}
