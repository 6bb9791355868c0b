import type { Execution } from '../../domain/execution/execution'
import { rewrite } from '../../domain/rewrite'
import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'

type Ports = {
  executions: Pick<Executions, 'load' | 'save'>
  wakes: Pick<Wakes, 'wakeNow' | 'isHeard'>
  now: () => number
  onLost: (error: unknown) => void
}

/** Leaves executions to other workers when this one is asked to stop, so that none waits until a lease ends. */
export function handOver({ executions, wakes, now, onLost }: Ports) {
  const underWay: Promise<unknown>[] = []

  /** Without messages there is nothing to do, because every worker's sweep finds what is due. */
  async function wake({ id, bucket, dueAt }: Execution): Promise<void> {
    if (dueAt !== null && dueAt <= now() && wakes.isHeard(bucket)) await wakes.wakeNow({ id, bucket })
  }

  /** Makes it due although this worker has a lease of it. What the step still finds out is refused by the store. */
  async function takeFrom(id: string): Promise<void> {
    const isLeased = ({ dueAt }: Execution) => dueAt !== null && dueAt > now()
    const stored = await rewrite(executions, id, (known) =>
      known && isLeased(known) ? { ...known, dueAt: now() } : null,
    )
    if (stored) await wake(stored)
  }

  const track = (work: Promise<void>) => void underWay.push(work.catch(onLost))
  return {
    /** Leaves an execution whose record was stored as it is now. One that waits is left to wait. */
    leave: (record: Execution) => track(wake(record)),
    /** Leaves an execution whose step is still under way: another worker begins that step anew. */
    abandon: (id: string) => track(takeFrom(id)),
    /** Resolves when all that were left so far are due, and whoever takes them next has been woken. */
    settled: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}
