/**
 * The URL that receives spans, or null if tracing is off. OpenTelemetry requires the path of the signal to be appended.
 */
const tracesUrl = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: TracesEnvironment): string | null =>
  endpoint ? `${endpoint.replace(/\/+$/, '')}/v1/traces` : null

type TracesEnvironment = { OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined }

type Tracing = TracesEnvironment & { OTEL_SERVICE_NAME: string; OTEL_TRACES_SAMPLER_ARG: string }

export const tracesOf = (read: Tracing) => ({
  url: tracesUrl(read),
  serviceName: read.OTEL_SERVICE_NAME,
  ratio: Number(read.OTEL_TRACES_SAMPLER_ARG),
})

/** Parses `name=value,name=value` as OpenTelemetry specifies it; values may be percent-encoded. */
export function headersIn(text: string | undefined): Record<string, string> {
  const parts = (text ?? '').split(',').filter((part) => part.includes('='))
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...value] = part.trim().split('=')
      return [name, decoded(value.join('='))]
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
