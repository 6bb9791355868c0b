import { expect } from 'bun:test'
import { readWebhook, type WebhookContent } from '../../src/detection/webhooks/pointers'
import { samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

type Reading = { kind: WebhookContent['kind']; chainId?: number; transactions?: string[] }

/** The chain and the transactions of a delivery. */
function readingOf(body: unknown): Reading {
  const read = readWebhook(body, 7)
  if (read.kind !== 'POINTERS') return { kind: read.kind }
  return { kind: read.kind, chainId: read.chainId, transactions: read.pointers.map(({ txHash }) => txHash) }
}

const samples = await samplesIn<{ body: unknown; reads: Reading }>('alchemy')

testAll(samples)('every recorded webhook gets its recorded judgement', (_name, { body, reads }) => {
  expect(readingOf(body)).toEqual(reads)
})
