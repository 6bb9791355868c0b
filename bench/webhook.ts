import { createHmac, randomBytes } from 'node:crypto'
import { onRig, percentile } from './rig'

const forMs = 5_000
const atOnce = 16
const answerMaxMs = 20

/** How many signed webhooks are taken in a second, each stored in the stream before it is answered. */
export const webhook = (): Promise<string[]> =>
  onRig(async ({ installation }) => {
    const key = installation.devnet.webhookSigningKeys.base
    const tookMs: number[] = []
    let refused = 0
    const until = performance.now() + forMs
    const send = async () => {
      while (performance.now() < until) {
        const body = JSON.stringify({
          ...{ webhookId: 'wh', id: `whevt_${randomBytes(8).toString('hex')}`, type: 'ADDRESS_ACTIVITY' },
          event: {
            network: 'BASE_MAINNET',
            activity: [{ hash: `0x${randomBytes(32).toString('hex')}`, category: 'token' }],
          },
        })
        const signature = createHmac('sha256', key).update(body).digest('hex')
        const startedAt = performance.now()
        const response = await fetch(installation.webhookUrl, {
          ...{ method: 'POST', body },
          headers: { 'content-type': 'application/json', 'x-alchemy-signature': signature },
        })
        await response.arrayBuffer()
        tookMs.push(performance.now() - startedAt)
        if (!response.ok) refused++
      }
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: atOnce }, send))
    const perSecond = Math.round(tookMs.length / ((performance.now() - startedAt) / 1_000))
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(tookMs, share).toFixed(1))
    return [
      `webhook: ${perSecond} a second taken, ${atOnce} at once, p50 ${p50} ms, p99 ${p99} ms (target ${answerMaxMs} ms), ` +
        `${refused} refused; each is in the stream before it is answered`,
    ]
  })
