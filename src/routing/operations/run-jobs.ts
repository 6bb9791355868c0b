import type { ChainId } from '../../domain/chain/chain'
import { RoutingError } from '../../domain/error'
import { OperationRefused, seenBy } from '../../domain/execution/operation'
import type { Job, Jobs, JobWork } from '../../ports/operators'
import type { ExecutionQueries } from '../../ports/queries'
import type { Operations } from './index'

type Ports = {
  jobs: Jobs
  operations: Operations
  executionQueries: Pick<ExecutionQueries, 'list'>
  readRange: (chainId: ChainId, fromBlock: number, toBlock: number) => Promise<{ readTo: number; deposits: number }>
  now: () => number
}
type Bulk = Exclude<JobWork, { verb: 'scan' }>
type Scan = Extract<JobWork, { verb: 'scan' }>

const pageMax = 20
const rangeMax = 2_000
const leaseMs = 60_000
const waitMs = 5_000

/**
 * Runs the bulk jobs of operators page by page. Each page ends with half of its lease, and storing the progress renews
 * the lease. If a worker dies, the next one repeats its page, and refuses operations that were already done.
 *
 * @returns A function to be called repeatedly.
 */
export const runJobs =
  (ports: Ports) =>
  async (signal?: AbortSignal): Promise<void> => {
    const { jobs, now } = ports
    for (const owed of await jobs.due(now())) {
      let job = await jobs.save({ ...owed, dueAt: now() + leaseMs })
      const isHeld = () => job !== null && job.dueAt !== null && job.dueAt > now() + waitMs
      while (job && isHeld() && !signal?.aborted) job = await jobs.save(await advanceJob(job, ports))
      // Releases the job, so another worker need not wait for the lease to end.
      if (job && isHeld()) await jobs.save({ ...job, dueAt: now() })
    }
  }

/** Runs one more page of a job. If the chain has to catch up, the job is due again in a few seconds. */
async function advanceJob(job: Job, ports: Ports): Promise<Job> {
  const { work } = job
  if (work.verb !== 'scan') return runBulkPage(job, work, ports)
  const at = ports.now()
  const carried = { ...job, dueAt: at + leaseMs, updatedAt: at }
  try {
    return await scanRange(carried, work, ports)
  } catch (error) {
    if (error instanceof RoutingError && error.retryable) return { ...carried, dueAt: at + waitMs }
    throw error
  }
}

async function runBulkPage(job: Job, work: Bulk, { executionQueries, operations, now }: Ports): Promise<Job> {
  const seenAt = work.seenAt ?? job.createdAt
  const page = await executionQueries.list(seenBy(seenAt, work.filter), {
    limit: pageMax,
    after: job.after ?? undefined,
  })
  const endsAt = now() + leaseMs / 2
  let { done, failed, after } = job
  let count = 0
  for (const { id, createdAt } of page) {
    if (now() >= endsAt) break
    // The requester's view counts: no later recipient is paid, and no later failure is retried or re-driven.
    const doing =
      work.verb === 'retry'
        ? operations.retryNow(id, job.asked, { storedTo: seenAt })
        : operations.redrive(id, work.intent, job.asked, { storedTo: seenAt })
    const end = await doing.then(
      () => 'DONE' as const,
      (error: unknown) =>
        error instanceof OperationRefused || error instanceof RoutingError ? ('FAILED' as const) : { error },
    )
    // The progress is stored first. A repeated page would refuse what is already done, and count it as failed.
    if (typeof end === 'object' && count > 0) break
    if (typeof end === 'object') throw end.error
    if (end === 'DONE') done += 1
    else failed += 1
    after = { createdAt: createdAt!, id }
    count += 1
  }
  const at = now()
  const moved = { ...job, done, failed, after, dueAt: at + leaseMs, updatedAt: at }
  return count === page.length && page.length < pageMax ? endedJob(moved) : moved
}

/** Reads one more range of blocks. `done` counts blocks. Unconfirmed blocks wait until they are confirmed. */
async function scanRange(job: Job, { chainId, fromBlock, toBlock }: Scan, { readRange, now }: Ports): Promise<Job> {
  const from = fromBlock + job.done
  const to = Math.min(toBlock, from + rangeMax - 1)
  const { readTo, deposits } = await readRange(chainId, from, to)
  const read = { ...job, done: readTo - fromBlock + 1, found: job.found + deposits }
  if (readTo >= toBlock) return endedJob(read)
  return readTo < to ? { ...read, dueAt: now() + waitMs } : read
}

const endedJob = (job: Job): Job => ({ ...job, state: 'DONE', dueAt: null })
