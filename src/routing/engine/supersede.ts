import { noted } from '../../../machines/follow'
import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import { takenAlong } from '../../domain/money/residue'
import { type Successor, successorOf, supersedings } from '../../domain/money/superseded'
import type { Executions } from '../../ports/executions'
import type { Step, StepOutcome, Steps } from './step'

type Ports = { executions: Pick<Executions, 'load' | 'save' | 'residueIn'>; now: () => number }

/** Notes who has the money of a record now, unless that is noted already. The loser of two writers looks again. */
export async function supersede(
  id: string,
  { id: successor, by }: Successor,
  { executions, now }: Ports,
): Promise<void> {
  for (;;) {
    const record = await executions.load(id)
    if (!record || successorOf(record) !== null) return
    const { state, status } = record
    const entry = { at: now(), event: supersedings[by].event, from: state, to: state, status, note: null }
    if (await executions.save(noted({ ...record, [by]: successor }, entry))) return
  }
}

/**
 * The steps, which note in other records what they mean for them, before their own record says it: whoever dies in
 * between does it again. What was re-driven is noted before its re-drive does anything, what was taken along before the
 * money is known to have left.
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
