type Posted = { id: string; type: string; seq: number; data: { id: string } }

/** Identity of an event. It is the same in the list and at every attempt. */
const keyOf = ({ id, type, seq, data }: Posted): string => [id, type, seq, data.id].join(' ')

/** A receiver as an integrator writes one. It accepts every post, and keeps the highest `seq` of each `data.id`. */
export function receiveWebhooks() {
  const received: Posted[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push(JSON.parse(await request.text()) as Posted)
      return new Response(null, { status: 204 })
    },
  })

  return {
    url: `http://127.0.0.1:${server.port}/hooks`,
    has: (id: string): boolean => received.some((event) => event.id === id),
    /** Compares the received events with the feed, and returns the differences. */
    compared(feed: readonly Posted[]) {
      const arrived = new Set(received.map(keyOf))
      const told = new Set(feed.map(keyOf))
      const highest = new Map<string, Posted>()
      let late = 0
      for (const event of received) {
        const known = highest.get(event.data.id)
        if (known && known.seq > event.seq) late += 1
        else highest.set(event.data.id, event)
      }
      const last = new Map(feed.toSorted((a, b) => a.seq - b.seq).map((event) => [event.data.id, event.type]))
      return {
        lost: [...told].filter((key) => !arrived.has(key)),
        invented: [...arrived].filter((key) => !told.has(key)),
        /** Records whose last received state differs from their last event. */
        wrong: [...last].filter(([id, type]) => highest.get(id)?.type !== type),
        posted: received.length,
        repeated: received.length - arrived.size,
        late,
      }
    },
    stop: () => server.stop(true),
  }
}
