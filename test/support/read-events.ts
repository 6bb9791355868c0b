/** Reads the event stream as a browser does: it reconnects with the last id when the stream ends. */
export function readEvents(apiUrl: string, key: string) {
  const left = new AbortController()
  const successes = new Set<string>()
  const seen = { successes, resets: 0, resumed: 0 }
  let lastId: string | null = null
  let retryMs = 3_000

  function receive(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    lastId = fields.get('id') ?? lastId
    retryMs = Number(fields.get('retry') ?? retryMs)
    const event = fields.get('event')
    if (event === 'reset') seen.resets += 1
    if (event === 'execution.success') successes.add(JSON.parse(fields.get('data')!).data.id)
  }

  async function readOnce(): Promise<void> {
    const response = await fetch(`${apiUrl}/api/events/stream`, {
      headers: { 'x-api-key': key, ...(lastId && { 'last-event-id': lastId }) },
      signal: left.signal,
    })
    if (!response.ok) throw new Error(`The stream of events was answered with ${response.status}`)
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of response.body!) {
      text += decoder.decode(part, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop()!
      for (const frame of frames) receive(frame)
    }
  }

  const reading = (async () => {
    for (; !left.signal.aborted; seen.resumed += 1) {
      await readOnce().catch((error) => {
        if (!left.signal.aborted) throw error
      })
      await Bun.sleep(left.signal.aborted ? 0 : retryMs)
    }
  })()
  return Object.assign(seen, {
    async leave(): Promise<void> {
      left.abort()
      await reading
    },
  })
}
