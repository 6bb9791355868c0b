import type { Telemetry } from '../ports/observing'

export const noTelemetry: Telemetry = {
  outside: (_call, run) => run({}),
  work: (_work, run) => run({}),
  within: (_work, call) => call(() => {}),
}
