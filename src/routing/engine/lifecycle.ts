import { executionMachine, isPublic, stateNames, stepOf } from '../../../machines/execution'
import { errorCategories, errorCodes, errorRow } from '../../domain/error'
import { providerFactor, type RetryPolicy } from '../../domain/execution/retry'
import { isStatus, isTerminal, type Status, statuses, statusNames } from '../../domain/execution/status'

type Arrow = { target?: string | undefined; guard?: unknown }
type Config = {
  on?: Record<string, unknown>
  states?: Record<string, { on?: Record<string, unknown>; meta?: { description: string } }>
}

/** The colour of a state in the diagram. */
type Tone = 'info' | 'success' | 'warning' | 'danger'

const toneOf = (state: string): Tone => (isStatus(state) ? statuses[state].tone : 'info')

const guardName = (guard: unknown): string | null => {
  if (guard === undefined) return null
  if (typeof guard === 'string') return guard
  const { type, params } = guard as { type: string; params?: { status?: string } }
  return params?.status ? `${type} ${params.status}` : type
}

/**
 * Describes the machine, the tables of statuses and errors, and the retry rule, as the code defines them (extensions
 * 10.1).
 */
export function lifecycle(retry: RetryPolicy) {
  const { states = {}, on = {} } = executionMachine.config as unknown as Config
  const arrowsOf = (from: string, table: Record<string, unknown>) =>
    Object.entries(table).flatMap(([event, arrows]) =>
      [arrows].flat().map((arrow) => {
        const { target, guard } = (typeof arrow === 'string' ? { target: arrow } : arrow) as Arrow
        return { from, event, guard: guardName(guard), to: target?.replace(/^\./, '') ?? from }
      }),
    )
  const active = stateNames.filter((state) => !isTerminal(state))
  return {
    machine: 'execution',
    version: executionMachine.version!,
    statuses: statusNames.map((status) => {
      const { kind, retryable, description } = statuses[status]
      return { status, kind, retryable, description }
    }),
    states: stateNames.map((state) => ({
      state,
      status: isPublic(state) ? (state as Status) : null,
      step: stepOf({ state, facts: {} }),
      kind: isTerminal(state) ? 'terminal' : isPublic(state) ? 'active' : 'intake',
      tone: toneOf(state),
      description: states[state]?.meta?.description ?? statuses[state as Status].description,
    })),
    transitions: active.flatMap((state) => {
      const own = states[state]?.on ?? {}
      const inherited = Object.fromEntries(Object.entries(on).filter(([event]) => !(event in own)))
      return [...arrowsOf(state, own), ...arrowsOf(state, inherited)]
    }),
    retry: {
      retriesMax: retry.retriesMax,
      baseSeconds: retry.baseMs / 1_000,
      factor: retry.factor,
      maxSeconds: retry.maxMs / 1_000,
      providerFactor,
      providerMaxSeconds: retry.providerMaxMs / 1_000,
      jitter: 'HALF',
    },
    errorCategories: Object.entries(errorCategories).map(([category, { retryable }]) => ({ category, retryable })),
    causes: errorCodes.map((code) => {
      const { category, endsIn, message, advice } = errorRow(code)
      const retryable = category !== null && errorCategories[category as keyof typeof errorCategories].retryable
      return { code, category, retryable, endsIn, message, advice }
    }),
  }
}
