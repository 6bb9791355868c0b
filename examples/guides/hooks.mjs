import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@switchyard/client'

/** The highest `seq` of each object, and ids of other events. In production use a table, written with the effects. */
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
    // Events of intents, chains and quotas have a null `seq`: each is news once.
    let [key, seq] = [event.id, 1]
    if ('seq' in event && event.seq !== null && 'id' in event.data) [key, seq] = [event.data.id, event.seq]
    const isNews = seq > (newest.get(key) ?? 0)
    if (isNews) newest.set(key, seq)
    if (isNews) console.log(`verified ${event.type}`)
    response.writeHead(204).end()
    // A refund ends in SUCCESS too, and nothing was delivered.
    if (!isNews || event.type !== 'execution.success' || event.data.funds.refund) return
    console.log(`credit ${event.data.userId} with ${event.data.amountOut} of ${event.data.toTokenAddress}`)
    server.close()
  } catch (error) {
    // A false signature is refused; other failures are retried later.
    if (!response.headersSent) response.writeHead(error instanceof WebhookVerificationError ? 400 : 500)
    response.end()
  }
})
server.listen(4242, '127.0.0.1')
