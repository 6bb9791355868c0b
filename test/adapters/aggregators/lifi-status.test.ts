import { expect, test } from 'bun:test'
import { lifi } from '../../../src/adapters/aggregators/lifi'
import { chains } from '../../../src/domain/chain/chain'
import type { Hash, Hex } from '../../../src/domain/chain/hex'
import { hashOf } from '../../support/deposits'
import { samplesIn } from '../../support/real-answers'
import { testAll } from '../../support/test-all'

type Quoted = { asked: string; body: { transactionId?: Hash; transactionRequest?: { data: Hex } } }
const recorded = (await samplesIn<Quoted>('lifi')).flatMap(([, { body }]) =>
  body.transactionId && body.transactionRequest ? [{ id: body.transactionId, call: body.transactionRequest.data }] : [],
)
const [own, other] = recorded as [(typeof recorded)[0], (typeof recorded)[0]]
const delivered = (transactionId: Hash | undefined, txHash: Hash, sent?: Hash) => ({
  status: 'DONE',
  ...(sent && { sending: { txHash: sent } }),
  substatus: 'COMPLETED',
  receiving: { txHash, chainId: chains.polygon.id },
  ...(transactionId && { transactionId }),
})

/** LI.FI's response for our call, given its responses per transaction or transfer, and the requests made. */
async function outcomeBy(answers: Record<string, object>, call: Hex | null) {
  const asked: string[] = []
  const fetcher = async (url: string) => {
    const about = new URL(url).searchParams.get('txHash')!
    asked.push(about)
    const answer = answers[about]
    if (Array.isArray(answer)) return Response.json(answer[0])
    return answer ? Response.json(answer) : Response.json({ code: 1003 }, { status: 404 })
  }
  const provider = lifi({ url: 'http://lifi/v1', apiKey: null, bridges: [], fetcher })
  const sent = { hash: hashOf(1), fromChainId: chains.ethereum.id, toChainId: chains.polygon.id, reference: null, call }
  return { outcome: await provider.outcome(sent, AbortSignal.timeout(60_000)), asked }
}

const byTransaction = hashOf(1)

test('a transaction of many transfers is queried only by hash if the response names ours', async () => {
  for (const id of [own.id, own.id.toUpperCase().replace('0X', '0x') as Hash]) {
    const { outcome, asked } = await outcomeBy({ [byTransaction]: delivered(id, hashOf(7)) }, own.call)
    expect(outcome).toEqual({ kind: 'DELIVERED', hash: hashOf(7) })
    expect(asked).toEqual([byTransaction])
  }
})

test('a transaction of one transfer is queried by its hash, whatever else the response contains', async () => {
  for (const more of [{}, { transactionId: other.id }, { transactionId: null, sending: 'nothing' }]) {
    const { outcome, asked } = await outcomeBy(
      { [byTransaction]: { ...delivered(undefined, hashOf(7)), ...more } },
      null,
    )
    expect(outcome).toEqual({ kind: 'DELIVERED', hash: hashOf(7) })
    expect(asked).toEqual([byTransaction])
  }
})

test('our transfer among many is queried by the id in its call', async () => {
  expect(recorded.length).toBeGreaterThan(3)
  for (const { id, call } of recorded.slice(1)) {
    const answers = { [byTransaction]: delivered(own.id, hashOf(7)), [id]: delivered(id, hashOf(8), hashOf(1)) }
    expect((await outcomeBy(answers, call)).outcome).toEqual({ kind: 'DELIVERED', hash: hashOf(8) })
  }
})

// Columns: the response for the transaction, which names none of its transfers.
testAll<[string, object | undefined]>([
  ['is not known', undefined],
  ['is not found', { status: 'NOT_FOUND' }],
  ['is invalid', { status: 'INVALID' }],
  ['is pending', { status: 'PENDING' }],
  ['has failed', { status: 'FAILED', transactionId: null }],
  ['has delivered', delivered(undefined, hashOf(7))],
  ['has paid back', { ...delivered(undefined, hashOf(7)), substatus: 'REFUNDED' }],
])(
  'our transfer among many is queried by its id if the transaction’s response does not identify it',
  async (_case, ofAll) => {
    const said = { ...(ofAll && { [byTransaction]: ofAll }) }
    expect(await outcomeBy(said, own.call)).toEqual({ outcome: { kind: 'PENDING' }, asked: [byTransaction, own.id] })
    const both = { ...said, [own.id]: delivered(own.id, hashOf(8), hashOf(1)) }
    expect((await outcomeBy(both, own.call)).outcome).toEqual({ kind: 'DELIVERED', hash: hashOf(8) })
  },
)

// Columns: the response for our id.
testAll<[string, object]>([
  ['about a foreign transaction', delivered(own.id, hashOf(8), hashOf(2))],
  ['about no transaction', delivered(own.id, hashOf(8))],
  ['with another id', delivered(other.id, hashOf(8), hashOf(1))],
  ['without an id', delivered(undefined, hashOf(8), hashOf(1))],
  ['about a foreign refund', { ...delivered(own.id, hashOf(8), hashOf(2)), substatus: 'REFUNDED' }],
])(
  'a response for our id counts only if it concerns our transfer, because anyone can reuse the id',
  async (_case, ofId) => {
    const said = { [byTransaction]: { status: 'INVALID' }, [own.id]: ofId }
    expect((await outcomeBy(said, own.call)).outcome).toEqual({ kind: 'PENDING' })
  },
)

test('the outcome of another transfer is never used for ours', async () => {
  const answers = { [byTransaction]: delivered(other.id, hashOf(7)) }
  const { outcome, asked } = await outcomeBy(answers, own.call)
  expect(outcome).toEqual({ kind: 'PENDING' })
  expect(asked).toEqual([byTransaction, own.id])
})

test('a null response is malformed and is never read as another transfer', async () => {
  expect(outcomeBy({ [byTransaction]: [null] }, own.call)).rejects.toMatchObject({ code: 'PROVIDER_MALFORMED' })
})

test('none of many transfers is ours if our call has no id', async () => {
  for (const call of ['0x', '0x12345678', `0x12345678${'f'.repeat(64)}`] as const) {
    const { outcome } = await outcomeBy({ [byTransaction]: delivered(other.id, hashOf(7)) }, call)
    expect(outcome).toEqual({ kind: 'PENDING' })
  }
})
