import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { OperationRefused } from '../../src/domain/execution/operation'
import type { Job } from '../../src/ports/operators'
import { runJobs } from '../../src/routing/operations/run-jobs'
import { executionOf } from '../support/deposits'
import { executionQueriesOn } from '../support/queries'
import { executionsInMemory, recordsInMemory } from '../support/records'

const failed = (n: number) => executionOf(n, { state: 'FAILED', status: 'FAILED', createdAt: n })
const job: Job = {
  ...{ id: 'job_1', version: 0, organizationId: 'org_a', matched: 45, done: 0, failed: 0, found: 0, after: null },
  asked: { actor: { kind: 'API_KEY', id: 'key', label: 'k' }, organizationId: null, reason: 'why', requestId: null },
  work: { verb: 'retry', filter: { organizationId: null, status: ['FAILED'] }, seenAt: 1_000 },
  ...{ state: 'RUNNING', dueAt: 1_000, createdAt: 1_000, updatedAt: 1_000 },
}

type Hazards = { listMs?: number; isDead?: () => boolean }

/** A job on 45 executions, each of which takes `tookMs`. `meanwhile` runs within each, and may run a second worker. */
async function jobWorld(
  tookMs: number,
  meanwhile: (run: () => Promise<void>, id: string) => Promise<void> = async () => {},
  { listMs = 0, isDead = () => false }: Hazards = {},
) {
  const jobs = recordsInMemory<Job>()
  await jobs.save(job)
  const executions = executionsInMemory(...Array.from({ length: 45 }, (_, n) => failed(n + 1)))
  const queries = executionQueriesOn(executions)
  const clock = { now: 1_000 }
  const tried: string[] = []
  let workers = 1
  const ports = {
    jobs: {
      ...jobs,
      async save(record: Job) {
        if (isDead()) throw new Error('It was killed')
        return jobs.save(record)
      },
      due: async (at: number) => {
        const stored = (await jobs.load(job.id))!
        return stored.dueAt !== null && stored.dueAt <= at ? [stored] : []
      },
    },
    operations: {
      async retryNow(id: string): Promise<Execution> {
        tried.push(id)
        clock.now += tookMs
        await meanwhile(async () => {
          if (workers > 1) return
          workers += 1
          await run()
          workers -= 1
        }, id)
        if (id === executionOf(7).id) throw new OperationRefused('NOT_RETRYABLE')
        return executions.get(id)
      },
    },
    executionQueries: {
      async list(...asked: Parameters<typeof queries.list>) {
        clock.now += listMs
        return queries.list(...asked)
      },
    },
    now: () => clock.now,
  }
  const run = runJobs(ports as never)
  return { run, tried, clock, stored: async () => (await jobs.load(job.id))! }
}
const every = Array.from({ length: 45 }, (_, n) => executionOf(n + 1).id).toSorted()

test('a job whose operations are slow keeps its lease, so no other worker repeats one', async () => {
  const { run, tried, stored } = await jobWorld(10_000, (other) => other())
  await run()
  expect(tried.toSorted()).toEqual(every)
  expect(await stored()).toMatchObject({ state: 'DONE', done: 44, failed: 1, dueAt: null })
})

test('a page that a worker leaves unfinished is continued by the next, once the lease is over', async () => {
  let isDead = false
  const dies = async () => {
    isDead ||= tried.length === 5
    if (isDead) throw new Error('It was killed')
  }
  const { run, tried, clock, stored } = await jobWorld(10_000, dies, { isDead: () => isDead })
  await expect(run()).rejects.toThrow('killed')
  expect(await stored()).toMatchObject({ done: 3, state: 'RUNNING' })
  isDead = false
  await run()
  expect(tried).toHaveLength(5)
  clock.now += 60_000
  await run()
  expect([...new Set(tried)].toSorted()).toEqual(every)
  expect(await stored()).toMatchObject({ state: 'DONE', done: 44, failed: 1 })
})

test('an unexpected error repeats no operation that is already done, and the job continues after it', async () => {
  let isBroken = true
  let broken = ''
  const breaks = async (_: unknown, id: string) => {
    if (tried.length === 5) broken = id
    if (isBroken && id === broken) throw new TypeError('undefined is not a function')
  }
  const { run, tried, clock, stored } = await jobWorld(1_000, breaks)
  await expect(run()).rejects.toThrow('undefined')
  expect(await stored()).toMatchObject({ done: 4, failed: 0, state: 'RUNNING' })
  isBroken = false
  clock.now += 60_000
  await run()
  expect(tried.filter((id) => id !== broken).toSorted()).toEqual(every.filter((id) => id !== broken))
  expect(await stored()).toMatchObject({ state: 'DONE', done: 44, failed: 1 })
})

test('a job whose list takes half of its lease still makes progress', async () => {
  const { run, tried, clock, stored } = await jobWorld(1_000, undefined, { listMs: 30_000 })
  const stop = {
    get aborted() {
      return clock.now > 3_600_000
    },
  }
  await run(stop as AbortSignal)
  expect(tried.toSorted()).toEqual(every)
  expect(await stored()).toMatchObject({ state: 'DONE', done: 44, failed: 1 })
})
