/** Half of the silence after which most proxies cut a connection. */
const beatMs = 15_000
const waitMs = { first: 1_000, most: 60_000 }

/**
 * Reports changes to all open pages from one stream of the API, because a key may have only a few. A refused key or a
 * lost stream is logged and tried again: the pages read what they show anyway, and say when that fails.
 */
export function changesOf(client, log) {
  const pages = new Map()
  const report = (userId) => {
    for (const send of pages.get(userId) ?? []) send()
  }
  const reportAll = () => {
    for (const userId of pages.keys()) report(userId)
  }

  async function follow() {
    for (let failures = 0; ; failures++) {
      const onOpen = () => {
        failures = 0
        reportAll()
      }
      try {
        // Without the last type, a page would not learn that the money has left the account.
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
  follow()

  /** Serves a stream that names no facts: on `data: changed` the page reads everything again. */
  return function listen(userId, response) {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    const beat = () => response.write('event: beat\ndata: {}\n\n')
    const send = () => response.write('data: changed\n\n')
    beat()
    const timer = setInterval(beat, beatMs)
    const own = pages.get(userId) ?? new Set()
    pages.set(userId, own.add(send))
    response.on('close', () => {
      clearInterval(timer)
      own.delete(send)
      if (own.size === 0) pages.delete(userId)
    })
  }
}
