import { noted } from '../../../machines/follow'
import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import { type Successor, successorOf, supersedings, takenAlong } from '../../domain/money/superseded'
import { rewrite } from '../../domain/rewrite'
import type { Executions } from '../../ports/executions'
import type { Step, StepOutcome, Steps } from './step'

type Ports = { executions: Pick<Executions, 'load' | 'save' | 'residueIn'>; now: () => number }

/**
 * Stores which execution has a record's money now, unless that is stored already. When another writer was faster, it
 * looks at the record again.
 */
async function supersede(id: string, { id: successor, by }: Successor, { executions, now }: Ports): Promise<void> {
  await rewrite(executions, id, (record) => {
    if (!record || successorOf(record) !== null) return null
    const { state, status } = record
    const entry = { at: now(), event: supersedings[by].event, from: state, to: state, status, note: null }
    return noted({ ...record, [by]: successor }, entry)
  })
}

/**
 * Wraps the steps so that they update the records whose money an execution takes over. Those are written before the
 * execution's own record, so a crash in between repeats the update. A re-driven record is updated before its re-drive
 * does anything, and one whose money was taken along before that money is known to have left.
 */
export function notingSuperseded(steps: Steps, ports: Ports): Steps {
  const noteRedriven = async ({ id, redriveOf }: Execution) => {
    if (redriveOf !== null) await supersede(redriveOf, { id, by: 'redrivenBy' }, ports)
  }
  async function noteTaken(execution: Execution, outcome: StepOutcome): Promise<void> {
    const spent = outcome.facts?.spent
    if (!spent || execution.facts.spent || amountOf(spent.amountRaw) <= amountOf(execution.deposit.amountRaw)) return
    const there = await ports.executions.residueIn(execution.deposit.lane)
    for (const id of takenAlong(execution, amountOf(spent.amountRaw), there))
      await supersede(id, { id: execution.id, by: 'takenBy' }, ports)
  }
  const before =
    (step: Step): Step =>
    async (execution) => {
      await noteRedriven(execution)
      return step(execution)
    }
  const after =
    (step: Step): Step =>
    async (execution) => {
      const outcome = await step(execution)
      await noteTaken(execution, outcome)
      return outcome
    }
  return {
    ...steps,
    matchIntent: before(steps.matchIntent),
    submitOrder: after(steps.submitOrder),
    confirmDelivery: after(steps.confirmDelivery),
  }
}
