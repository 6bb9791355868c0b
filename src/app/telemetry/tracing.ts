import type { Context, Link, Span, Tracer } from '@opentelemetry/api'
import type { Sampler } from '@opentelemetry/sdk-trace'
import { rootSpanIdOf, type TraceId, traceIdOf } from '../../domain/execution/execution'
import type { Carrier, Work } from '../../ports/observing'
import { outcomeOf } from './meters'

type TracingSettings = {
  /** The URL of the collector, which receives OTLP over HTTP as JSON. */
  url: string
  headers: Record<string, string>
  serviceName: string
  version: string
  /** The name of this process. */
  instance: string
  /** The share of all traces that is sampled, from 0 to 1. */
  ratio: number
  /** If the collector takes longer, the spans are lost; the service loses nothing. */
  sendMaxMs?: number
  onTrouble: (error: unknown) => void
}

type About = { name: string; kind: 'INTERNAL' | 'CLIENT' | 'SERVER' | 'CONSUMER' | 'PRODUCER'; attributes?: Attributes }
type Attributes = Record<string, string | number>
const stopMaxMs = 2_000

export type Tracing = Awaited<ReturnType<typeof openTracing>>

/**
 * Records spans with OpenTelemetry. A deposit's spans have a root that every process can compute from its id. A trace
 * that a caller sends is only linked; it decides neither sampling nor ownership. An attribute is a name from the code,
 * an id that the API shows, or a code, never a URL or a response's content.
 */
export async function openTracing(settings: TracingSettings) {
  const otel = await loadOtel()
  const { api, contexts } = otel
  const ids = chosenIds(otel)
  const provider = providerOf(otel, ids, settings)
  api.diag.setLogger(
    { ...noLogger, error: (message) => settings.onTrouble(new Error('Spans could not be sent', { cause: message })) },
    api.DiagLogLevel.ERROR,
  )
  const tracer = provider.getTracer('switchyard', settings.version)
  const begin = ({ name, kind, attributes = {} }: About, parent: Context, links: Link[] = []): Span =>
    tracer.startSpan(name, { kind: api.SpanKind[kind], attributes, links }, parent)

  return {
    /** Makes a child of the active span. */
    span<Answer>(about: About, act: (carrier: Carrier) => Promise<Answer>, judge = outcomeOf): Promise<Answer> {
      const parent = contexts.active()
      // A call outside any trace makes no span: the scan of an empty block is not a trace.
      return api.trace.getSpan(parent) ? run(otel, begin(about, parent), parent, act, judge) : act({})
    },
    work<Answer>(work: Work, act: (carrier: Carrier) => Promise<Answer>): Promise<Answer> {
      const { parent, links } = placeOf(otel, work)
      return run(otel, begin(aboutWork(work), parent, links), parent, act)
    },
    within(work: Work, call: (end: () => void) => void): void {
      const { parent, links } = placeOf(otel, work)
      const span = begin(aboutWork(work), parent, links)
      contexts.with(api.trace.setSpan(parent, span), () => call(() => span.end()))
    },
    /** Records the root of a deposit's trace when its record is stored. It lasts from the first sighting until then. */
    root(id: string, name: string, from: number, to: number): void {
      const span = ids.as({ traceId: traceIdOf(id), spanId: rootSpanIdOf(id) }, () =>
        tracer.startSpan(name, { startTime: from, attributes: { 'switchyard.id': id } }, api.ROOT_CONTEXT),
      )
      span.end(Math.max(to, from))
    },
    request: (carrier: Carrier) => requestSpan(otel, tracer, carrier),
    traceId: (): TraceId | undefined => api.trace.getSpanContext(contexts.active())?.traceId,
    /** Sends the remaining spans, and waits at most `stopMaxMs` for the collector. */
    async stop(): Promise<void> {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, stopMaxMs)
      await Promise.race([provider.shutdown().catch(settings.onTrouble), late])
      clearTimeout(timer)
    },
  }
}

/** Loads OpenTelemetry, only in a process that sends spans. */
async function loadOtel() {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }, hooks, { W3CTraceContextPropagator }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
    ])
  const contexts = new hooks.AsyncLocalStorageContextManager().enable()
  return { api, sdk, OTLPTraceExporter, resourceFromAttributes, contexts, propagator: new W3CTraceContextPropagator() }
}
type Otel = Awaited<ReturnType<typeof loadOtel>>

/** Generates random ids, except within a call that chooses them. */
function chosenIds({ sdk }: Otel) {
  const random = new sdk.RandomIdGenerator()
  let chosen: { traceId: string; spanId: string } | null = null
  return {
    generateTraceId: () => chosen?.traceId ?? random.generateTraceId(),
    generateSpanId: () => chosen?.spanId ?? random.generateSpanId(),
    as(ids: NonNullable<typeof chosen>, start: () => Span): Span {
      chosen = ids
      const span = start()
      chosen = null
      return span
    },
  }
}

function providerOf(
  otel: Otel,
  idGenerator: ReturnType<typeof chosenIds>,
  { sendMaxMs = 5_000, ...settings }: TracingSettings,
) {
  const { sdk, OTLPTraceExporter, resourceFromAttributes } = otel
  return new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': settings.version,
      'service.instance.id': settings.instance,
    }),
    sampler: samplerOf(otel, settings.ratio),
    idGenerator,
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: settings.url, headers: settings.headers, timeoutMillis: sendMaxMs }),
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: sendMaxMs,
      }),
    ],
  })
}

/**
 * Only our own parent spans decide on sampling. An active trace keeps its decision, and all processes sample the same
 * deposits.
 */
function samplerOf({ api, sdk }: Otel, ratio: number): Sampler {
  const byRatio = new sdk.TraceIdRatioBasedSampler(ratio)
  return {
    shouldSample(context, traceId) {
      const parent = api.trace.getSpanContext(context)
      if (!parent || parent.isRemote) return byRatio.shouldSample(context, traceId)
      const isSampled = (parent.traceFlags & api.TraceFlags.SAMPLED) !== 0
      return { decision: isSampled ? sdk.SamplingDecision.RECORD_AND_SAMPLED : sdk.SamplingDecision.NOT_RECORD }
    },
    toString: () => `Switchyard{${ratio}}`,
  }
}

const depositContext = ({ api }: Otel, id: string): Context =>
  api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId: traceIdOf(id),
    spanId: rootSpanIdOf(id),
    traceFlags: api.TraceFlags.SAMPLED,
    isRemote: true,
  })

const received = ({ api, propagator }: Otel, carrier: Carrier = {}): Context =>
  propagator.extract(api.ROOT_CONTEXT, carrier, {
    get: (from: Carrier, name) => (name === 'traceparent' ? from.traceparent : undefined),
    keys: Object.keys,
  })

/**
 * Returns the parent, which is always in the deposit's own trace: the active context, the message's context, or the
 * root. Other contexts are linked.
 */
function placeOf(otel: Otel, { id, carrier }: Work): { parent: Context; links: Link[] } {
  const { trace } = otel.api
  const parents = [otel.contexts.active(), received(otel, carrier)].flatMap((context) => {
    const spanContext = trace.getSpanContext(context)
    return spanContext && trace.isSpanContextValid?.(spanContext) !== false ? [{ context, spanContext }] : []
  })
  const own = parents.find(({ spanContext }) => spanContext.traceId === traceIdOf(id))
  const links = parents
    .filter(({ spanContext }) => spanContext.traceId !== traceIdOf(id))
    .map(({ spanContext }) => ({ context: spanContext }))
  return { parent: own?.context ?? depositContext(otel, id), links }
}

function carrierOf({ propagator }: Otel, context: Context): Carrier {
  const carrier: Carrier = {}
  propagator.inject(context, carrier, {
    set(to, name, value) {
      if (name === 'traceparent') to.traceparent = value
    },
  })
  return carrier
}

const aboutWork = ({ name, kind, id }: Work): About => ({ name, kind, attributes: { 'switchyard.id': id } })

async function run<Answer>(
  otel: Otel,
  span: Span,
  parent: Context,
  act: (carrier: Carrier) => Promise<Answer>,
  judge = outcomeOf,
): Promise<Answer> {
  const { api, contexts } = otel
  const context = api.trace.setSpan(parent, span)
  try {
    return await contexts.with(context, () => act(carrierOf(otel, context)))
  } catch (error) {
    span.setAttribute('error.type', judge(error))
    span.setStatus({ code: api.SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** Begins a separate trace for a request. Calls may run within it until `end`. */
function requestSpan(otel: Otel, tracer: Tracer, carrier: Carrier) {
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = otel.api
  const theirs = trace.getSpanContext(received(otel, carrier))
  const links = theirs ? [{ context: theirs }] : []
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER, links }, ROOT_CONTEXT)
  const context = trace.setSpan(ROOT_CONTEXT, span)
  return {
    within: <Answer>(call: () => Answer): Answer => otel.contexts.with(context, call),
    end(method: string, route: string, status: number): void {
      span.updateName(`${method} ${route}`)
      span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

const noLogger = { error() {}, warn() {}, info() {}, debug() {}, verbose() {} }
