import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@switchyard/client'

/** The highest `seq` of each object, and ids of other events. In production use a table, written with the effects. */
const newest = new Map()

/** Whether an event is news. Others come twice or late. */
function isNew(event) {
  const { id, type, seq, data } = event
  const last = newest.get(data.id) ?? 0
  const isOrphaned = type === 'deposit.orphaned'
  // It can become known late that a bridge sent a deposit back. Events of intents, chains and quotas have a null `seq`.
  const isOnce = seq === null || isOrphaned || type === 'deposit.returned'
  if (isOnce ? newest.has(id) || (isOrphaned && last > 1) : seq <= last) return false
  if (isOnce) newest.set(id, 1)
  // The deposit of a dropped block may come back, so its `seq` goes on from 1.
  if (seq !== null) newest.set(data.id, isOrphaned ? 1 : Math.max(last, seq))
  return true
}

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
    const isNews = isNew(event)
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
