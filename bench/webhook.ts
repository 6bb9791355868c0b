import { join } from 'node:path'
import { onRig } from './rig'

const answerMaxMs = 20
const steps = [1, 2, 4, 8, 16, 32, 64]

type WebhookFigures = { p50: number; p99: number; perSecond: number; failed: number }

async function told(ask: object): Promise<WebhookFigures> {
  const client = Bun.spawn(['node', join(import.meta.dir, 'http/webhooks.mjs'), JSON.stringify(ask)], {
    stdout: 'pipe',
  })
  return JSON.parse(await new Response(client.stdout).text())
}

/**
 * Measures the signed webhooks accepted per second while 99 of 100 are answered in time. Each is stored in the stream
 * before its response. The process only receives them, and does not read the transactions.
 */
export const webhook = (): Promise<string[]> =>
  onRig(
    async ({ installation }) => {
      const ask = { url: installation.webhookUrl, key: installation.devnet.webhookSigningKeys.base, many: 5_000 }
      await told({ ...ask, seconds: 2, connections: 8 })
      const all: (WebhookFigures & { connections: number })[] = []
      for (const connections of steps) all.push({ connections, ...(await told({ ...ask, seconds: 3, connections })) })
      const inTime = all.filter(({ p99, failed }) => p99 < answerMaxMs && failed === 0)
      const best = inTime.toSorted((a, b) => b.perSecond - a.perSecond)[0]
      return [
        best
          ? `webhook: ${Math.round(best.perSecond)} a second at p99 ${best.p99} ms, ${best.connections} at once`
          : `webhook: no number of connections had its p99 below ${answerMaxMs} ms`,
        ...all.map(
          ({ connections, perSecond, p50, p99, failed }) =>
            `  ${connections} at once: ${Math.round(perSecond)} a second, p50 ${p50} ms, p99 ${p99} ms, ${failed} failed`,
        ),
      ]
    },
    { ROLES: 'api' },
  )
