import { createHmac } from 'node:crypto'
import { chains } from '../../domain/chain/chain'
import type { DevChain } from '../chains/dev-chain'
import { devnetClock } from '../devnet-clock'
import type { Faults } from '../faults'
import { type Activity, activityOf, isDevnetOwn } from './activity'
import { type AlchemyWebhook, type AlchemyWebhooks, concerns } from './alchemy-webhooks'

const answerWithinMs = 5000
const firstRetryMs = 500
const retryMaxMs = 30_000
const giveUpAfterMs = 600_000
const concurrencyMax = 32

/** Posts webhooks as Alchemy does: one signed delivery for each block and category, repeated until it is accepted. */
export class WebhookPoster {
  private readonly waiting: (() => Promise<void>)[] = []
  private readonly stopping = new AbortController()
  private running = 0

  constructor(
    private readonly webhooks: AlchemyWebhooks,
    private readonly faults: Faults,
  ) {}

  follow(chain: DevChain): void {
    const network = chains[chain.key].alchemyNetwork
    chain.watch.onBlock((block) => {
      const listening = this.webhooks.listening(network)
      if (listening.length === 0) return
      const activity = activityOf(chain, block)
      for (const webhook of listening) {
        const activities = activity.filter((item) =>
          webhook.addresses === null ? !isDevnetOwn(item) : concerns(webhook, item),
        )
        for (const group of Object.values(Object.groupBy(activities, ({ category }) => category)))
          this.post(webhook, group!)
      }
    })
  }

  stop(): void {
    this.stopping.abort()
    this.waiting.length = 0
  }

  private post(webhook: AlchemyWebhook, activity: Activity[]): void {
    const fault = this.faults.take('webhooks')
    if (fault?.fault === 'DROP' || fault?.fault === 'DOWN') return
    const body = JSON.stringify({
      webhookId: webhook.id,
      id: `whevt_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`,
      createdAt: new Date(devnetClock()).toISOString(),
      type: 'ADDRESS_ACTIVITY',
      event: { network: webhook.network, activity },
    })
    const copies = fault?.fault === 'DUPLICATE' ? (fault.copies ?? 2) : 1
    const delayMs = fault?.fault === 'SLOW' ? (fault.ms ?? answerWithinMs) : 0
    for (let copy = 0; copy < copies; copy++) this.later(delayMs, () => this.deliver(webhook, body))
  }

  private later(delayMs: number, delivery: () => Promise<void>): void {
    const start = () => {
      this.waiting.push(delivery)
      this.startNext()
    }
    if (delayMs > 0) setTimeout(start, delayMs).unref()
    else start()
  }

  private startNext(): void {
    if (this.running >= concurrencyMax || this.stopping.signal.aborted) return
    const delivery = this.waiting.shift()
    if (!delivery) return
    this.running++
    void delivery().finally(() => {
      this.running--
      this.startNext()
    })
  }

  private async deliver(
    webhook: AlchemyWebhook,
    body: string,
    waitMs = firstRetryMs,
    since = devnetClock(),
  ): Promise<void> {
    if (await this.isAccepted(webhook, body)) return
    if (devnetClock() + waitMs - since > giveUpAfterMs || this.stopping.signal.aborted) return
    const nextWaitMs = Math.min(waitMs * 2, retryMaxMs)
    this.later(waitMs, () => this.deliver(webhook, body, nextWaitMs, since))
  }

  private async isAccepted(webhook: AlchemyWebhook, body: string): Promise<boolean> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(answerWithinMs)])
    const headers = { 'content-type': 'application/json', 'x-alchemy-signature': signatureOf(webhook, body) }
    try {
      const response = await fetch(webhook.webhook_url, { method: 'POST', headers, body, signal })
      return response.ok
    } catch {
      return false
    }
  }
}

const signatureOf = ({ signing_key }: Pick<AlchemyWebhook, 'signing_key'>, body: string): string =>
  createHmac('sha256', signing_key).update(body, 'utf8').digest('hex')
