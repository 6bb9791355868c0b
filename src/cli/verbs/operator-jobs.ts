import { terminalStatuses } from '../../domain/execution/status'
import { type Ask, operatorApi, pathPart } from '../client/operator-api'
import { Failure } from '../terminal/failure'

type Reasoned = { reason: string }

const ask: Ask = (method, path, body) => operatorApi()(method, path, body)

type Begun = { id: string; matched?: number }
type Progress = {
  state: string
  matched?: number
  done?: number
  failed?: number
  found?: number
  scannedBlock?: number
}
const lookMs = 500

/** Follows a job or a scan until it is done. */
async function followed(path: string, say: (now: Progress) => string): Promise<Progress> {
  for (let shown = ''; ; await Bun.sleep(lookMs)) {
    const now = await ask<Progress>('GET', path)
    const line = say(now)
    if (line !== shown) console.log(line)
    shown = line
    if (now.state === 'DONE') return now
  }
}

export type JobOptions = Reasoned & { intent?: string; filter: string[] }
/** As the API has it: what a verb can do something with, where no status is named. */
const statusesFor: Record<string, string> = {
  retry: 'FAILED',
  redrive: terminalStatuses.filter((status) => status !== 'SUCCESS').join(','),
}
type Listed = { id: string; status: string; next: { message: string } }

export async function runJob(verb: string, { reason, intent, filter }: JobOptions): Promise<void> {
  if (verb === 'redrive' && !intent) throw new Failure('A redrive needs --intent current or --intent original.')
  const filters = Object.fromEntries(filter.map((one) => one.split(/=(.*)/s).slice(0, 2)))
  const sought = { status: statusesFor[verb]!, ...filters, limit: '100' }
  const before = await ask<Listed[]>('GET', `/executions?${new URLSearchParams(sought)}`)
  const begun = await ask<Begun>('POST', 'jobs', {
    verb,
    filter: filters,
    intent: intent?.toUpperCase() ?? null,
    reason,
  })
  console.log(`${begun.id}: ${begun.matched} ${begun.matched === 1 ? 'execution matches' : 'executions match'}`)
  const { failed = 0 } = await followed(
    `jobs/${pathPart(begun.id)}`,
    ({ done, failed, state }) => `${state}: ${done} done, ${failed} refused`,
  )
  if (failed > 0) await sayRefused(verb, before, reason)
}

/** What is carried out has an entry in the audit log, written before the deed; the rest was refused. */
async function sayRefused(verb: string, before: Listed[], reason: string): Promise<void> {
  type Entry = { target: string; reason: string | null }
  for (const { id } of before) {
    const entries = await ask<Entry[]>('GET', `audit?${new URLSearchParams({ verb: `execution.${verb}`, target: id })}`)
    if (entries.some((entry) => entry.reason === reason)) continue
    const now = await ask<Listed>('GET', `/executions/${pathPart(id)}`)
    console.log(`refused: ${id} is ${now.status}. ${now.next.message}`)
  }
}

export type ScanOptions = Reasoned & { chain: number; from: number; to: number }
export async function runScan({ chain, from, to, reason }: ScanOptions): Promise<void> {
  const { id } = await ask<Begun>('POST', 'scans', { chainId: chain, fromBlock: from, toBlock: to, reason })
  await followed(
    `scans/${pathPart(id)}`,
    ({ state, scannedBlock, found }) => `${state}: read to ${scannedBlock ?? from - 1}, ${found} deposits found`,
  )
}
