import type { Switchyard } from '@switchyard/client'

/** Proxies cut a connection that is silent for longer. */
const beatMs = 15_000
const waitMs = { first: 1_000, most: 60_000 }
const encoder = new TextEncoder()

/**
 * Forwards one API stream to all open pages, because a key may open only a few. A refused key or lost stream is logged
 * and retried. Pages also poll, and show when that fails.
 */
export function changesOf(client: Switchyard, log: (error: unknown) => void): (userId: string) => Response {
  const pages = new Map<string, Set<() => void>>()
  const report = (userId: string) => {
    for (const send of pages.get(userId) ?? []) send()
  }
  const reportAll = () => {
    for (const userId of pages.keys()) report(userId)
  }
  let isFollowing = false
  async function follow(): Promise<void> {
    isFollowing = true
    for (let failures = 0; ; failures++) {
      const onOpen = () => {
        failures = 0
        reportAll()
      }
      try {
        // The last type reports that the money has left the account.
        const types = 'deposit.*,execution.*,execution.moved'
        for await (const { data } of client.streamEvents({ types }, { onOpen, onReset: reportAll }))
          if ('userId' in data) report(data.userId)
      } catch (error) {
        log(error)
        reportAll()
      }
      const ms = Math.min(waitMs.most, waitMs.first * 2 ** failures)
      await new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random() / 2)))
    }
  }

  /** Serves a stream without data of its own: on `data: changed` the page reads everything again. */
  return (userId) => {
    if (!isFollowing) void follow()
    let leave = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        const write = (text: string) => stream.enqueue(encoder.encode(text))
        const beat = () => write('event: beat\ndata: {}\n\n')
        const send = () => write('data: changed\n\n')
        const timer = setInterval(beat, beatMs)
        const own = pages.get(userId) ?? new Set()
        pages.set(userId, own.add(send))
        leave = () => {
          clearInterval(timer)
          own.delete(send)
          if (own.size === 0) pages.delete(userId)
        }
        beat()
      },
      cancel: () => leave(),
    })
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    return new Response(body, { headers })
  }
}
