type Call = { id: number; method: string; params: unknown[] }
type Reply = { result: unknown } | { error: { code: number; message: string; data?: unknown } } | null

/** A proxy in front of a node. It answers some calls itself and forwards the rest. */
export function jsonRpcNode(
  answer: (call: Call) => Reply | undefined | Promise<Reply | undefined>,
  { behind = '', shape = (body: unknown): unknown => body, status = 200 } = {},
) {
  const seen: string[] = []
  const reply = async (call: Call): Promise<object[]> => {
    seen.push(call.method)
    const own = await answer(call)
    if (own !== undefined) return own === null ? [] : [{ jsonrpc: '2.0', id: call.id, ...own }]
    const body = JSON.stringify(call)
    const headers = { 'content-type': 'application/json' }
    return [(await (await fetch(behind, { method: 'POST', headers, body })).json()) as object]
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Call | Call[]
      const replies = (await Promise.all([body].flat().map(reply))).flat()
      const shaped = shape(Array.isArray(body) ? replies : (replies[0] ?? {}))
      return new Response(typeof shaped === 'string' ? shaped : JSON.stringify(shaped), { status })
    },
  })
  return { url: `http://127.0.0.1:${server.port}/secret-key`, seen, stop: () => server.stop(true) }
}
