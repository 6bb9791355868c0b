import { jobStatuses } from '../../domain/execution/operation'
import { type Ask, operatorApi } from '../client/operator-api'
import { pathPart } from '../client/reach'
import { Failure } from '../terminal/failure'

type Reasoned = { reason: string }

const ask: Ask = (method, path, body) => operatorApi()(method, path, body)

type Started = { id: string; matched?: number }
type Progress = {
  state: string
  matched?: number
  done?: number
  failed?: number
  found?: number
  scannedBlock?: number
}
const pollMs = 500

/** Polls a job or a scan until it is done, and prints its progress. */
async function followProgress(path: string, describe: (progress: Progress) => string): Promise<Progress> {
  for (let shown = ''; ; await Bun.sleep(pollMs)) {
    const progress = await ask<Progress>('GET', path)
    const line = describe(progress)
    if (line !== shown) console.log(line)
    shown = line
    if (progress.state === 'DONE') return progress
  }
}

type JobOptions = Reasoned & { intent?: string; filter: string[]; seenAt?: string }
type Times = { createdAt: string | null; completedAt: string | null; cause: { at: string } | null }
type Listed = { id: string; status: string; next: { message: string } } & Partial<Times>

/** Whether a job acts on an execution that the list shows. */
const isSeenAt =
  (seenAt: string | undefined) =>
  ({ createdAt, completedAt, cause }: Listed): boolean =>
    [createdAt, completedAt, cause?.at].every((at) => !seenAt || !at || Date.parse(at) <= Date.parse(seenAt))

export async function runJob(
  verb: keyof typeof jobStatuses,
  { reason, intent, filter, seenAt }: JobOptions,
): Promise<void> {
  if (verb === 'redrive' && !intent) throw new Failure('A redrive needs --intent current or --intent original.')
  const filters = Object.fromEntries(filter.map((text) => text.split(/=(.*)/s).slice(0, 2)))
  const query = { status: jobStatuses[verb].join(','), ...filters, limit: '100' }
  const before = await ask<Listed[]>('GET', `/executions?${new URLSearchParams(query)}`)
  const started = await ask<Started>('POST', 'jobs', {
    verb,
    filter: filters,
    intent: intent?.toUpperCase() ?? null,
    ...(seenAt !== undefined && { seenAt }),
    reason,
  })
  console.log(`${started.id}: ${started.matched} ${started.matched === 1 ? 'execution matches' : 'executions match'}`)
  const { failed = 0 } = await followProgress(
    `jobs/${pathPart(started.id)}`,
    ({ done, failed, state }) => `${state}: ${done} done, ${failed} refused`,
  )
  if (failed > 0) await printRefused(verb, before.filter(isSeenAt(seenAt)), reason)
}

/** Prints the refused executions: those without an audit entry for this reason. */
async function printRefused(verb: string, before: Listed[], reason: string): Promise<void> {
  type Entry = { target: string; reason: string | null }
  for (const { id } of before) {
    const entries = await ask<Entry[]>('GET', `audit?${new URLSearchParams({ verb: `execution.${verb}`, target: id })}`)
    if (entries.some((entry) => entry.reason === reason)) continue
    const { status, next } = await ask<Listed>('GET', `/executions/${pathPart(id)}`)
    console.log(`refused: ${id} is ${status}. ${next.message}`)
  }
}

type ScanOptions = Reasoned & { chain: number; from: number; to: number }
export async function runScan({ chain, from, to, reason }: ScanOptions): Promise<void> {
  const { id } = await ask<Started>('POST', 'scans', { chainId: chain, fromBlock: from, toBlock: to, reason })
  await followProgress(
    `scans/${pathPart(id)}`,
    ({ state, scannedBlock, found }) => `${state}: read to ${scannedBlock ?? from - 1}, ${found} deposits found`,
  )
}
