import { type IntentSnapshot, withoutDepartures } from '../../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../../src/domain/execution/execution'
import { routeIdOf } from '../../../src/domain/execution/route'
import { isTerminal } from '../../../src/domain/execution/status'
import type { Executions } from '../../../src/ports/executions'
import { withMethod } from './bug-tools'
import type { Bug } from './view'

/** The destination of an execution as its integrator set it, with the whole protocol fee. */
function withWholeFee({ id: executionId, organizationId, userId }: Execution, departing: IntentSnapshot) {
  const intent = withoutDepartures(departing)
  return { intent, routeId: routeIdOf({ organizationId, userId, executionId, intent }) }
}

/** Planted bugs of records: of fees, leftovers, re-drives and refunds. */
export const bugsOfRecords: Record<string, Bug> = {
  'returned money pays the protocol fee again': () => ({
    steps: ({ matchIntent }) => ({
      matchIntent: async (execution) => {
        const outcome = await matchIntent(execution)
        const { intent } = outcome.facts ?? {}
        if (execution.refundOf === null || !intent) return outcome
        return { ...outcome, facts: { ...outcome.facts, ...withWholeFee(execution, intent) } }
      },
    }),
  }),
  'a re-drive of returned money pays the protocol fee again': (view) => ({
    operationPorts: {
      executions: withMethod(view.executions, 'save', (record) => {
        const isBegun = record.version === 0 && record.refundOf !== null
        return view.executions.save(isBegun ? { ...record, facts: withWholeFee(record, record.facts.intent!) } : record)
      }),
    },
  }),
  'sponsored gas is charged': () => ({
    steps: ({ priceFees }) => ({
      priceFees: ({ facts: { intent, ...facts }, ...execution }) =>
        priceFees({ ...execution, facts: { ...facts, intent: { ...intent!, sponsoredGas: false } } }),
    }),
  }),
  'a second lapse forgets the transactions of the first': (view) => ({
    executions: withMethod(view.executions, 'save', async (record) => {
      const { order, dropped: before = [] } = (await view.executions.load(record.id))?.facts ?? {}
      const { dropped, ...facts } = record.facts
      const hasLapsed = order !== undefined && facts.order === undefined && dropped !== undefined
      return view.executions.save(
        hasLapsed ? { ...record, facts: { ...facts, dropped: dropped.slice(before.length) } } : record,
      )
    }),
  }),
  'a leftover that was taken along is not marked': (view) => ({
    executions: withMethod(view.executions, 'save', async (record) =>
      record.takenBy ? record : view.executions.save(record),
    ),
  }),
  'every leftover of a lane is marked as taken along': (view) => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: async ({ facts, ...execution }, store) => {
        const there = (await view.executions.residueIn(execution.deposit.lane)).map(({ id }) => id)
        const residue = [...new Set([...(facts.residue ?? []), ...there])]
        return confirmDelivery({ ...execution, facts: { ...facts, residue } }, store)
      },
    }),
  }),
  'the leftovers that an order takes along are listed when it leaves': (view) => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: async ({ facts, ...execution }, store) => {
        const there = (await view.executions.residueIn(execution.deposit.lane)).map(({ id }) => id)
        return confirmDelivery({ ...execution, facts: { ...facts, residue: there } }, store)
      },
    }),
  }),
  'money that has left is re-driven': (view) => {
    const { executions } = view
    const load: Executions['load'] = async (id) => {
      const record = await executions.load(id)
      if (!record) return null
      const { spent: _, ...facts } = record.facts
      return isTerminal(record.state) ? { ...record, facts } : record
    }
    const save: Executions['save'] = async (record) => {
      const facts = isTerminal(record.state) ? (await executions.load(record.id))!.facts : record.facts
      return executions.save({ ...record, facts })
    }
    return { operationPorts: { executions: withMethod(withMethod(executions, 'load', load), 'save', save) } }
  },
}
