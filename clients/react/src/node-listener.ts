type NodeRequest = {
  method?: string | undefined
  url?: string | undefined
  headers: Record<string, string | string[] | undefined>
}
type NodeResponse = {
  writeHead: (status: number, headers: Record<string, string>) => unknown
  write: (chunk: Uint8Array) => unknown
  end: () => unknown
  on: (event: 'close', listener: () => void) => unknown
}

/**
 * Adapts the routes to `node:http` and Express. Returns false for any other request.
 *
 * @param answer The function that `depositRoutes` returns.
 */
export const nodeListener =
  (answer: (request: Request) => Promise<Response | null>) =>
  async ({ method = 'GET', url = '/', headers }: NodeRequest, response: NodeResponse): Promise<boolean> => {
    const given = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    )
    // A path such as `//` is no URL, and must not end the caller's process.
    const target = URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : null
    // A request with another method has a body, which is not for these routes.
    const answered = target && method === 'GET' ? await answer(new Request(target, { headers: given })) : null
    if (answered === null) return false
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    const reader = answered.body?.getReader()
    response.on('close', () => void reader?.cancel())
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value)
    response.end()
    return true
  }
