const pollMs = 100
const lookMaxMs = 2_000

/** Starts a load balancer that distributes requests round-robin over the processes that report ready. */
export function startBalancer(port: number) {
  const upstreams = new Set<string>()
  let ready: string[] = []
  let turn = 0
  let isStopped = false

  /** A timeout leaves the state unchanged: a slow process on a busy machine stays in rotation, or out of it. */
  const isReady = (url: string): Promise<boolean> =>
    fetch(`${url}/ready`, { signal: AbortSignal.timeout(lookMaxMs), keepalive: false }).then(
      ({ ok }) => ok,
      ({ name }: Error) => name === 'TimeoutError' && ready.includes(url),
    )
  async function look(): Promise<void> {
    const urls = [...upstreams]
    const answers = await Promise.all(urls.map(isReady))
    ready = urls.filter((url, n) => answers[n] && upstreams.has(url))
  }
  const looking = (async () => {
    for (; !isStopped; await Bun.sleep(pollMs)) await look()
  })()

  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const upstream = ready[turn++ % Math.max(ready.length, 1)]
      if (!upstream) return new Response('no process is ready', { status: 503 })
      const { pathname, search } = new URL(request.url)
      const { method, headers, signal } = request
      const body = method === 'GET' ? null : await request.arrayBuffer()
      // A failure is passed on without a retry, which would hide it.
      return fetch(`${upstream}${pathname}${search}`, { method, headers, body, signal }).catch(
        (error: Error) => new Response(error.message, { status: 502 }),
      )
    },
  })

  return {
    /** Sends requests to this process once it is ready. Resolves then. */
    async add(url: string): Promise<void> {
      upstreams.add(url)
      while (!ready.includes(url) && !isStopped) await Bun.sleep(pollMs / 10)
    },
    /** Stops sending requests to a process that has ended. */
    remove: (url: string): boolean => upstreams.delete(url),
    async stop(): Promise<void> {
      isStopped = true
      await looking
      await server.stop(true)
    },
  }
}
