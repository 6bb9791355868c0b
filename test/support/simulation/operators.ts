import { executionMachine } from '../../../machines/execution'
import type { Execution } from '../../../src/domain/execution/execution'
import type { OperationRequest } from '../../../src/domain/execution/operation'
import { isTerminal } from '../../../src/domain/execution/status'
import type { Wakes } from '../../../src/ports/wakes'
import { type Operations, operations } from '../../../src/routing/operations'
import { anySeal } from '../seals'
import type { City } from './city'
import type { Dice, Process } from './loop'
import { isAbandoned } from './parties'
import type { Bug } from './view'

type Verb = 'retryNow' | 'deadLetter' | 'redrive'

/** An operator, who now and then retries, ends, re-drives or refunds a deposit that failed. */
export class Operator {
  private readonly operations: Operations
  private requests = 0
  private isBusy = false

  constructor(
    private readonly city: City,
    private readonly dice: Dice,
    private readonly process: Process,
    wakes: Pick<Wakes, 'wakeNow'>,
    bug: Bug | null,
  ) {
    const view = { ...city.viewOf(process, 'operator') }
    Object.assign(view, bug?.({ ...view }))
    this.operations = operations({
      ...view,
      seals: view.sealing?.seals ?? anySeal,
      auditLog: { append: () => process.ask(async () => {}, undefined, 'audit log') },
      wakes,
      machineVersion: executionMachine.version!,
      newId: () => `request-${++this.requests}`,
      ...view.operationPorts,
    })
  }

  /** Runs one operation on a deposit, unless the last one is still running. A refusal is no failure. */
  act(): void {
    const records = this.city.executions.all().filter(({ state }) => state !== 'SUCCESS')
    if (this.isBusy || this.process.isFrozen || records.length === 0) return
    this.isBusy = true
    const record = records[this.dice.below(records.length)]!
    const verb = this.verbFor(record)
    const to = (['CURRENT', 'ORIGINAL', 'REFUND'] as const)[this.dice.below(3)]!
    const operation = async () => {
      await this.run(verb, record, to).catch(() => {})
      this.isBusy = false
    }
    void this.process.work(`requests ${verb} of ${this.city.users.nameOf(record.id)}`, operation)
  }

  private run(verb: Verb, { id, organizationId }: Execution, to: 'CURRENT' | 'ORIGINAL' | 'REFUND') {
    const actor = { kind: 'MEMBER', id: 'operator', label: 'the operator' } as const
    const request: OperationRequest = { actor, organizationId, reason: 'simulated', requestId: null }
    return verb === 'redrive' ? this.operations.redrive(id, to, request) : this.operations[verb](id, request)
  }

  /** Verbs that the product should refuse are among them. */
  private verbFor({ state, deposit }: Execution): Verb {
    if (isTerminal(state)) return 'redrive'
    return isAbandoned(deposit.account) || !this.dice.chance(0.2) ? 'retryNow' : 'deadLetter'
  }
}
