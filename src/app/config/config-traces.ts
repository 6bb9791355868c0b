/** Where spans are sent; null: none are made. As OpenTelemetry has it, the path of the signal is added. */
export const tracesUrl = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Given): string | null =>
  endpoint ? `${endpoint.replace(/\/+$/, '')}/v1/traces` : null

type Given = { OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined }

/** `name=value,name=value`, as OpenTelemetry has it; values may be percent-encoded. */
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
