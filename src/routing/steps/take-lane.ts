import { holdsLane } from '../../domain/execution/execution'
import type { Lane } from '../../domain/execution/lane'
import { pollMs, waitedMs } from '../../domain/execution/retry'
import type { Executions } from '../../ports/executions'
import type { Records } from '../../ports/records'
import type { Step } from '../engine/step'

const laneRetryMs = 2_000

/**
 * Takes the lane, so one deposit at a time moves the money of one account, chain and token. Taking it is one
 * conditional write. There is no release that a crash could skip: the next deposit reads in the holder's record whether
 * its money has left or never will.
 */
export const takeLane =
  ({ lanes, executions, now }: { lanes: Records<Lane>; executions: Executions; now: () => number }): Step =>
  async (execution) => {
    const { id, deposit } = execution
    const lane = (await lanes.load(deposit.lane)) ?? { id: deposit.lane, version: 0, holder: null, clearFrom: 0 }
    if (lane.holder === id) return { type: 'lane taken', facts: { laneClearFrom: lane.clearFrom } }

    const wait = {
      retryInMs: pollMs(waitedMs(execution, 'LANE', now), laneRetryMs),
      waitingFor: 'LANE',
    } as const
    const holder = lane.holder && (await executions.load(lane.holder))
    if (holder && holdsLane(holder)) return wait
    const clearFrom = Math.max(lane.clearFrom, (holder ? holder.facts.spent?.block : 0) ?? 0)
    const taken = await lanes.save({ ...lane, holder: id, clearFrom })
    return taken ? { type: 'lane taken', facts: { laneClearFrom: clearFrom } } : wait
  }
