import { join } from 'node:path'
import { processorMs } from './rig'

/** A server that takes in webhooks, in a process of its own. */
export type WebhookReceiver = {
  origin: string
  /** How many posts came. */
  came(): Promise<number>
  /** The mean length of their bodies. */
  bytesEach(): Promise<number>
  /** How many milliseconds after its event each of them came. */
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

/** Looks again and again until there are so many. */
export async function untilCount(count: number, look: () => Promise<number>, everyMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  for (let found = await look(); found < count; found = await look()) {
    if (performance.now() > deadline) throw new Error(`${found} of ${count} webhooks came or were stored`)
    await Bun.sleep(everyMs)
  }
}
