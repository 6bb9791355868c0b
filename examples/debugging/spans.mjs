// A collector of spans: prints the trace, duration and name of each.
Bun.serve({
  hostname: '127.0.0.1',
  port: 4318,
  async fetch(request) {
    const { resourceSpans } = await request.json()
    for (const span of resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans)))
      console.log(span.traceId, `${((span.endTimeUnixNano - span.startTimeUnixNano) / 1e6).toFixed(1)} ms`, span.name)
    return Response.json({})
  },
})
