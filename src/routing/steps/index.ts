import { noted } from '../../../machines/execution'
import { rewrite } from '../../domain/concurrency'
import type { Execution } from '../../domain/execution/execution'
import { type Successor, successorOf, supersedings, takenAlong } from '../../domain/execution/lane'
import { amountOf } from '../../domain/money/amount'
import type { Executions } from '../../ports/executions'
import type { Step, StepOutcome, Steps } from '../engine/step'
import { confirmDelivery } from './confirm-delivery'
import { findRoute } from './find-route'
import { matchIntent } from './match-intent'
import { priceFees } from './price-fees'
import { screenDeposit } from './screen-deposit'
import { signOrder } from './sign-order'
import { submitOrder } from './submit-order'
import { takeLane } from './take-lane'
import { verifyBalance } from './verify-balance'

type Ports = Parameters<typeof matchIntent>[0] &
  Parameters<typeof screenDeposit>[0] &
  Parameters<typeof takeLane>[0] &
  Parameters<typeof verifyBalance>[0] &
  Parameters<typeof findRoute>[0] &
  Parameters<typeof priceFees>[0] &
  Omit<Parameters<typeof signOrder>[0], 'reprice'> &
  Parameters<typeof submitOrder>[0] &
  Parameters<typeof confirmDelivery>[0]

type PreviewPorts = Omit<Parameters<typeof screenDeposit>[0], 'isPreview'> &
  Parameters<typeof findRoute>[0] &
  Parameters<typeof priceFees>[0]

/** The steps that a preview runs, before anything is signed. They need no key, and the deposit need not exist. */
export const previewStepsOn = (ports: PreviewPorts) => ({
  screenDeposit: screenDeposit({ ...ports, isPreview: true }),
  findRoute: findRoute(ports),
  priceFees: priceFees(ports),
})

/** Every step that the machine names, built on these ports. */
export function stepsOn(ports: Ports): Steps {
  const price = priceFees(ports)
  const steps: Steps = {
    matchIntent: matchIntent(ports),
    screenDeposit: screenDeposit(ports),
    takeLane: takeLane(ports),
    verifyBalance: verifyBalance(ports),
    findRoute: findRoute(ports),
    priceFees: price,
    signOrder: signOrder({ ...ports, reprice: price }),
    submitOrder: submitOrder(ports),
    confirmDelivery: confirmDelivery(ports),
  }
  return notingSuperseded(steps, ports)
}

type SupersedePorts = { executions: Pick<Executions, 'load' | 'save' | 'residueIn'>; now: () => number }

/**
 * Stores which execution now has a record's money, unless that is already stored. If another writer was faster, it
 * re-reads the record.
 */
async function supersede(
  id: string,
  { id: successor, by }: Successor,
  { executions, now }: SupersedePorts,
): Promise<void> {
  await rewrite(executions, id, (record) => {
    if (!record || successorOf(record) !== null) return null
    const { state, status } = record
    const entry = { at: now(), event: supersedings[by].event, from: state, to: state, status, note: null }
    return noted({ ...record, [by]: successor }, entry)
  })
}

/**
 * Wraps the steps to update the records whose money an execution takes over. Those records are written before the
 * execution's own, so a crash in between repeats the update. A re-driven record is updated before its re-drive acts. A
 * record whose money was taken along is updated before that money is recorded as gone.
 */
export function notingSuperseded(steps: Steps, ports: SupersedePorts): Steps {
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
