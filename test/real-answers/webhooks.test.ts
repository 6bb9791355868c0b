import { expect, test } from 'bun:test'
import { readWebhook, type WebhookRead } from '../../src/detection/webhooks/pointers'
import { samplesIn } from '../support/real-answers'

type Reading = { kind: WebhookRead['kind']; chainId?: number; transactions?: string[] }

/** The chain and the transactions that a delivery points at. */
function readingOf(body: unknown): Reading {
  const read = readWebhook(body, 7)
  if (read.kind !== 'POINTERS') return { kind: read.kind }
  return { kind: read.kind, chainId: read.chainId, transactions: read.pointers.map(({ txHash }) => txHash) }
}

const samples = await samplesIn<{ body: unknown; reads: Reading }>('alchemy')

test.each(samples)('%s', (_name, { body, reads }) => {
  expect(readingOf(body)).toEqual(reads)
})
