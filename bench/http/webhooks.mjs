import { createHmac, randomBytes } from 'node:crypto'
import autocannon from 'autocannon'

/** Runs one measurement with signed webhooks, each for a different transaction, and prints its result as JSON. */
const { url, key, seconds, connections, many } = JSON.parse(process.argv[2])
const requests = Array.from({ length: many }, () => {
  const activity = [{ hash: `0x${randomBytes(32).toString('hex')}`, category: 'token' }]
  const id = `whevt_${randomBytes(8).toString('hex')}`
  const body = JSON.stringify({
    ...{ webhookId: 'wh', id, type: 'ADDRESS_ACTIVITY', event: { network: 'BASE_MAINNET', activity } },
  })
  const signature = createHmac('sha256', key).update(body).digest('hex')
  return { method: 'POST', headers: { 'content-type': 'application/json', 'x-alchemy-signature': signature }, body }
})
const { latency, requests: made, errors, non2xx } = await autocannon({ url, connections, duration: seconds, requests })
console.log(JSON.stringify({ p50: latency.p50, p99: latency.p99, perSecond: made.average, failed: errors + non2xx }))
