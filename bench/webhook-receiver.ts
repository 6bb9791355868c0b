import { join } from 'node:path'
import { processorMs } from './rig'

/** A server that receives webhooks, in a separate process. */
export type WebhookReceiver = {
  origin: string
  /** Number of posts received. */
  came(): Promise<number>
  /** The mean length of their bodies. */
  bytesEach(): Promise<number>
  /** Delay of each after its event, in milliseconds. */
  took(): Promise<number[]>
  usedMs(): number
  stop(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver = Bun.spawn(['node', join(import.meta.dir, 'http/receiver.mjs')], { stdout: 'pipe' })
  const { value } = await receiver.stdout.getReader().read()
  const origin = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
  const ask = async <Answer>(path: string): Promise<Answer> => (await fetch(`${origin}${path}`)).json()
  const counted = () => ask<{ count: number; bytes: number }>('/count')
  return {
    origin,
    came: async () => (await counted()).count,
    async bytesEach() {
      const { count, bytes } = await counted()
      return Math.round(bytes / count)
    },
    took: () => ask('/times'),
    usedMs: () => processorMs(receiver.pid),
    async stop() {
      receiver.kill()
      await receiver.exited
    },
  }
}

const withinMs = 200_000

/** Polls until the count is reached. */
export async function untilCount(count: number, look: () => Promise<number>, everyMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  for (let found = await look(); found < count; found = await look()) {
    if (performance.now() > deadline) throw new Error(`${found} of ${count} webhooks came or were stored`)
    await Bun.sleep(everyMs)
  }
}
