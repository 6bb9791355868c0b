export type Sent = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  /** OTLP's numbers, from 1: INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER. */
  kind: number
  links: { traceId: string; spanId: string }[]
  attributes: Record<string, string | number>
  status: number
  from: bigint
  to: bigint
  /** The process that sent it. */
  instance: string
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number }
type Attribute = { key: string; value: Value }
type OtlpSpan = Pick<Sent, 'traceId' | 'spanId' | 'name' | 'kind'> & {
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  links?: Sent['links']
  status?: { code?: number }
}
type OtlpBody = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

const readValue = ({ stringValue, intValue, doubleValue }: Value) => stringValue ?? Number(intValue ?? doubleValue)
const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]))

const spansIn = ({ resourceSpans }: OtlpBody): Sent[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const instance = String(read(resource.attributes)['service.instance.id'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, links = [], attributes, status, ...times }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        kind,
        instance,
        links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        attributes: read(attributes),
        status: status?.code ?? 0,
        from: BigInt(times.startTimeUnixNano),
        to: BigInt(times.endTimeUnixNano),
      })),
    )
  })

/**
 * Starts an OpenTelemetry collector: OTLP over HTTP as JSON.
 *
 * @param answer The response. A promise that never resolves plays a collector that accepts no spans.
 */
export function startCollector(answer: () => Promise<Response> | Response = () => Response.json({})) {
  const spans: Sent[] = []
  const bodies: string[] = []
  const headers: Headers[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      const text = await request.text()
      headers.push(request.headers)
      bodies.push(text)
      spans.push(...spansIn(JSON.parse(text)))
      return answer()
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, spans, bodies, headers, stop: () => server.stop(true) }
}
