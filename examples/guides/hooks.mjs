import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@switchyard/client'

/** The highest `seq` of each object. In production use a table, written together with the event's effects. */
const newest = new Map()

const server = createServer(async (request, response) => {
  try {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      // Anyone can post here, so bodies larger than any event are not kept in memory.
      if (size > 65_536) return response.writeHead(413, { connection: 'close' }).end()
      chunks.push(chunk)
    }
    const event = await verifyWebhook({
      body: Buffer.concat(chunks),
      headers: request.headers,
      secret: process.env.SECRET,
    })
    let isNews = true
    // Events of intents, chains and quotas have a null `seq`, and each of them is new.
    if ('seq' in event && event.seq !== null && 'id' in event.data) {
      isNews = event.seq > (newest.get(event.data.id) ?? 0)
      if (isNews) newest.set(event.data.id, event.seq)
    }
    if (isNews) console.log(`verified ${event.type}`)
    response.writeHead(204).end()
    if (event.type === 'execution.success') server.close()
  } catch (error) {
    // A false signature is refused; other failures are retried later.
    if (!response.headersSent) response.writeHead(error instanceof WebhookVerificationError ? 400 : 500)
    response.end()
  }
})
server.listen(4242, '127.0.0.1')
