import type { Outside, Telemetry } from '../../ports/observing'
import type { Step, Steps } from '../../routing/engine/step'
import { type Meters, outcomeOf } from './meters'
import type { Tracing } from './tracing'

/** Records external calls as metrics and, if `tracing` is not null, as spans. */
export function telemetryOf(meters: Pick<Meters, 'noteOutside'>, tracing: Tracing | null): Telemetry {
  return {
    async outside(call, run, judge = outcomeOf) {
      const from = performance.now()
      let outcome = 'OK'
      try {
        return await (tracing ? tracing.span(aboutOf(call), run, judge) : run({}))
      } catch (error) {
        outcome = judge(error)
        throw error
      } finally {
        meters.noteOutside(call, outcome, (performance.now() - from) / 1_000)
      }
    },
    work: (work, run) => (tracing ? tracing.work(work, run) : run({})),
    within(work, call) {
      if (tracing) tracing.within(work, call)
      else call(() => {})
    },
  }
}

function aboutOf(call: Outside) {
  if (call.system === 'provider') {
    const attributes = { 'switchyard.provider': call.provider }
    return { name: `${call.provider} ${call.operation}`, kind: 'CLIENT' as const, attributes }
  }
  if (call.system === 'nats') return { name: `publish ${call.stream}`, kind: 'PRODUCER' as const }
  const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': call.method, 'switchyard.node': call.node }
  return { name: `${call.chain} ${call.method}`, kind: 'CLIENT' as const, attributes }
}

/** Wraps each step to record its duration and outcome. */
export function watchedSteps(steps: Steps, telemetry: Telemetry, { noteStep }: Pick<Meters, 'noteStep'>): Steps {
  const watch =
    (name: string, step: Step): Step =>
    (...args) =>
      telemetry.work({ name: `step ${name}`, kind: 'INTERNAL', id: args[0].id }, async () => {
        const from = performance.now()
        let came = 'UNEXPECTED'
        try {
          const outcome = await step(...args)
          came = 'type' in outcome ? 'DONE' : `WAITS_${outcome.waitingFor}`
          return outcome
        } catch (error) {
          came = outcomeOf(error)
          throw error
        } finally {
          noteStep(name, came, (performance.now() - from) / 1_000)
        }
      })
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, watch(name, step)])) as Steps
}
