import type { loadConfig } from '../config/config'
import { keyTexts } from '../config/config-keys'
import { secretTexts } from '../config/config-secrets'
import { createMeters } from '../telemetry/meters'
import { telemetryOf } from '../telemetry/telemetry'
import type { Tracing } from '../telemetry/tracing'
import { version } from '../version'
import { createLog, type Log } from './log'
import { rateLimitedLog } from './outcome-log'

type Loaded = ReturnType<typeof loadConfig>

/** Opens everything a process reports about itself: its log, its metrics and, if tracing is configured, its spans. */
export async function openLog(loaded: Loaded, name: string) {
  const { config, secrets, keys, misplaced } = loaded
  let tracing: Tracing | null = null
  const log = createLog(config.logLevel, {
    secrets: [...keyTexts(keys), ...secretTexts(secrets)],
    traceId: () => tracing?.traceId(),
  })
  for (const variable of misplaced)
    log.write(
      'VARIABLE_MISPLACED',
      { variable, roles: config.roles },
      `${variable} is set but no role of this process needs it. It was not read; remove it.`,
    )
  tracing = await tracingOf(loaded, name, log)
  const meters = createMeters()
  return { log, meters, tracing, telemetry: telemetryOf(meters, tracing) }
}

/** Loads the OpenTelemetry packages only if tracing is configured. */
async function tracingOf({ config, secrets }: Loaded, instance: string, log: Log): Promise<Tracing | null> {
  const { url, serviceName, ratio } = config.traces
  if (url === null) return null
  const fault = rateLimitedLog(log, () => performance.now())
  const { openTracing } = await import('../telemetry/tracing')
  const onTrouble = (error: unknown) => fault('sending spans', error)
  return openTracing({ url, headers: secrets.traceHeaders, serviceName, version, instance, ratio, onTrouble })
}
