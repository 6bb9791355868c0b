import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../../machines/execution'
import type { Log } from '../../../src/app/logging/log'
import { type LogEvent, logLines } from '../../../src/app/logging/log-lines'
import { onBugOf, outcomeLog } from '../../../src/app/logging/outcome-log'
import { outcomeCounts } from '../../../src/app/service'
import type { Execution, Failure } from '../../../src/domain/execution/execution'
import { supersedingFields } from '../../../src/domain/execution/lane'
import { isTerminal, type Status, statusNames } from '../../../src/domain/execution/status'
import { peopledWorld } from '../../http/world'
import { executionOf } from '../../support/deposits'

type Line = { status: Status; sinceDetectedMs: number }

function narrated() {
  const lines: Line[] = []
  const counts = outcomeCounts()
  const log = { write: (_event: string, line: Line) => lines.push(line) } as unknown as Log
  const { onRecord } = outcomeLog(log, () => 0, counts.note)
  return { lines, counts, onRecord }
}

const cause: Failure = { code: 'PROVIDER_TIMEOUT', category: 'TIMEOUT', message: 'late' } as Failure

/** A life with one failure, as successive records. */
function life(): Execution[] {
  const first = executionOf(1, {}, { detectedAt: 1_000 })
  const step = (before: Execution, status: Status, at: number, change: Partial<Execution> = {}): Execution =>
    withHistoryEntry(
      { ...before, status, state: status, ...change },
      { at, event: 'told', from: before.state, to: status, status, note: null },
    )
  const failed = step(first, 'FAILED', 1_500, { cause: { ...cause, at: 1_500 } })
  const pending = step(failed, 'PENDING', 2_000, { retryCount: 1 })
  const running = step(pending, 'RUNNING', 2_500)
  return [first, failed, pending, running, step(running, 'SUCCESS', 4_000, { completedAt: 4_000 })]
}

test('every outcome line shows the time since detection, also long before the end', () => {
  const { lines, onRecord } = narrated()
  const records = life()
  for (const [n, after] of records.entries()) onRecord(records[n - 1] ?? null, after)
  expect(lines.map(({ status, sinceDetectedMs }) => [status, sinceDetectedMs])).toEqual([
    ['FAILED', 500],
    ['PENDING', 1_000],
    ['RUNNING', 1_500],
    ['SUCCESS', 3_000],
  ])
})

test('a superseded execution’s end needs no action, and names the execution that has the money', () => {
  const said: [LogEvent, string | undefined][] = []
  const write: Log['write'] = (event, _fields, message) => said.push([event, message])
  const { onRecord } = outcomeLog(
    { write } as Log,
    () => 0,
    () => {},
  )
  const running = executionOf(1, { status: 'RUNNING', state: 'RUNNING' })
  const ends = statusNames.filter(isTerminal)
  for (const by of supersedingFields)
    for (const status of ends) onRecord(running, { ...running, status, state: status, [by]: '8453:0xback:0' })
  const asking = ends.filter((status) => logLines[`EXECUTION_${status}`].level === 'warn')
  expect(said.filter(([event]) => event === 'EXECUTION_SUPERSEDED')).toHaveLength(3 * asking.length)
  for (const [event, message] of said) {
    expect(logLines[event].level).toBe('info')
    if (event === 'EXECUTION_SUPERSEDED') expect(message).toEndWith('Follow execution 8453:0xback:0.')
  }
  said.length = 0
  for (const status of ends) onRecord(running, { ...running, status, state: status })
  expect(said.map(([event]) => event)).toEqual(ends.map((status) => `EXECUTION_${status}` as const))
})

test('statuses by category and retries are counters that never decrease', async () => {
  const { counts, onRecord } = narrated()
  const { ask } = await peopledWorld({ metrics: { gauges: [], counters: counts.counted, token: null } })
  const seen = async () => (await ask('/metrics')).text.split('\n').filter((line) => line.includes('switchyard_exec'))
  const records = life()
  for (let times = 1; times <= 2; times++) {
    for (const [n, after] of records.entries()) onRecord(records[n - 1] ?? null, after)
    const text = await seen()
    expect(text).toContain('# TYPE switchyard_execution_statuses_total counter')
    expect(text).toContain(`switchyard_execution_statuses_total{status="FAILED",category="TIMEOUT"} ${times}`)
    expect(text).toContain(`switchyard_execution_statuses_total{status="SUCCESS",category="NONE"} ${times}`)
    expect(text).toContain(`switchyard_execution_retries_total ${times}`)
  }
})

test('an error common to all executions is logged once a minute, with the first execution it hit', () => {
  const said: object[] = []
  let at = 0
  const onBug = onBugOf({ write: (_event: string, line: object) => said.push(line) } as unknown as Log, () => at)
  const full = () => Object.assign(new Error('no room'), { code: 4293 })
  for (let n = 1; n <= 50; n++) onBug(executionOf(n), full())
  expect(said).toMatchObject([{ execution: executionOf(1).id }])
  onBug(executionOf(1), new Error('another'))
  expect(said).toHaveLength(2)
  at = 60_001
  onBug(executionOf(9), full())
  expect(said[2]).toMatchObject({ execution: executionOf(9).id, metAgain: 49 })
})
