import { afterAll, expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hmacSeals } from '../../src/adapters/hmac-seals'
import { remoteSigner } from '../../src/adapters/signer/remote-signer'
import { offerKeysOf, signerAccess } from '../../src/adapters/signer/signer-access'
import { headerNames } from '../../src/adapters/signer/signer-messages'
import { readSigningLog } from '../../src/adapters/signer/signing-log-files'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { errorCodes, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { type Order, routeIdOf } from '../../src/domain/execution/route'
import { withSealedShare } from '../../src/domain/seals'
import type { SignerLogState } from '../../src/domain/signer-log'
import type { SigningEntry, SigningRequest } from '../../src/ports/signer'
import { orderDigest, signedDraft } from '../../src/protocols/executor/signed-order'
import { ownTerms } from '../../src/signer/own-terms'
import { signableOf } from '../../src/signer/policy-signer'
import { signing } from '../../src/signer/signing'
import { recordsInMemory } from '../support/records'
import { sealed, seals } from '../support/seals'
import {
  accountSalt,
  addressOf,
  refundAddress,
  refundRecord,
  sealedRecord,
  signable,
  signerSettings,
} from '../support/signable'
import { accessKey, startSigner } from '../support/signer-process'
import { testAll } from '../support/test-all'

/**
 * Requests of a thief of one process to the signer. Its server, its log and its key are those of production, and only
 * the chains are fakes.
 */
const signer = await startSigner({ settings: { seals } })
afterAll(() => signer.stop())

const thief = addressOf('thief')
const deadline = 1_800_000_000
const victim = sealedRecord(signable())
const intent = victim.facts.intent!
const route = victim.facts.route!

const requestOf = (execution: Execution, change: Partial<SigningRequest> = {}): SigningRequest => {
  const routeId = routeIdOf({ ...execution, executionId: execution.id, intent: execution.facts.intent! })
  const facts = { ...execution.facts, routeId }
  return { execution: signableOf({ ...execution, facts }), deadline, accountSalt, organization: null, ...change }
}
const withFacts = (facts: Partial<Execution['facts']>): Execution => ({
  ...victim,
  facts: { ...victim.facts, ...facts },
})
const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'signed',
    (error) => error.code ?? error.waitingFor ?? error,
  )
const written = async () => {
  const entries: SigningEntry[] = []
  await readSigningLog(signer.logPath, (entry) => void entries.push(entry))
  return entries
}

const refund = refundRecord()
const refundTo = (targetAddress: Address) => ({ ...refund.facts.intent!, targetAddress })
const toThief = { ...intent, targetAddress: thief }
const thiefs = { organizationId: 'thieves', userId: 'thief' }
const another = { ...victim, ...thiefs }
const lenient = { id: 'thieves', policy: { minOutputBps: 5_000 } }

/** A thief of a worker has the access key, and can send any record. */
const tries: [string, () => SigningRequest][] = [
  ['another recipient', () => requestOf(withFacts({ intent: toThief }))],
  ['another recipient as a departure', () => requestOf(withFacts({ intent: { ...toThief, sealedAs: { ...intent } } }))],
  ['another refund address', () => requestOf(withFacts({ intent: { ...intent, refundAddress: thief } }))],
  ['no protocol fee', () => requestOf(withFacts({ intent: { ...intent, protocolFeeBps: 0 } }))],
  ['the seal of the thief’s own user', () => requestOf(withFacts({ intent: sealed(another, toThief) }))],
  [
    'the victim’s account as his own',
    () => requestOf({ ...another, facts: { ...victim.facts, intent: sealed(another, toThief) } }, {}),
  ],
  [
    'a seal with the thief’s own key',
    () => {
      const { seal: _, ...fields } = toThief
      const made = { ...fields, id: victim.deposit.account, organizationId: 'org', userId: 'user' }
      const own = hmacSeals([`0x${'1'.repeat(64)}`])
      return requestOf(withFacts({ intent: { ...toThief, seal: own.seal('intent', made as never) } }))
    },
  ],
  [
    'a seal under the key of offers',
    () => {
      const { seal: _, ...fields } = toThief
      const made = { ...fields, id: victim.deposit.account, organizationId: 'org', userId: 'user' }
      const own = hmacSeals(offerKeysOf([accessKey]))
      return requestOf(withFacts({ intent: { ...toThief, seal: own.seal('intent', made as never) } }))
    },
  ],
  [
    'the thief’s own call',
    () => requestOf(withFacts({ route: { ...route, call: { ...route.call!, target: thief } } })),
  ],
  [
    'the thief’s own spender',
    () => requestOf(withFacts({ route: { ...route, call: { ...route.call!, spender: thief } } })),
  ],
  [
    'calldata to himself',
    () => {
      const data = route.call!.data.replaceAll(
        intent.targetAddress.slice(2).toLowerCase(),
        thief.slice(2).toLowerCase(),
      )
      return requestOf(withFacts({ route: { ...route, call: { ...route.call!, data: data as Hex } } }))
    },
  ],
  ['invented fees', () => requestOf(withFacts({ fees: { ...victim.facts.fees!, protocolFeeRaw: '9000000' } }))],
  ['gas without a bound', () => requestOf(withFacts({ gasLimit: '4000000000' }))],
  ['another account', () => requestOf({ ...victim, deposit: { ...victim.deposit, account: thief } })],
  ['another salt', () => requestOf(victim, { accountSalt: `0x${'5'.repeat(64)}` })],
  ['a refund to himself', () => requestOf({ ...refund, facts: { ...refund.facts, intent: refundTo(thief) } })],
  [
    'a refund to the thief’s own address in the intent',
    () => requestOf({ ...refund, facts: { ...refund.facts, intent: { ...refundTo(thief), refundAddress: thief } } }),
  ],
  ['a refund of a deposit that is not driven again', () => requestOf({ ...refund, redriveOf: null })],
  [
    'a bridge as a refund',
    () => requestOf({ ...refund, facts: { ...refund.facts, intent, route: refund.facts.route! } }),
  ],
  ['the limits of another tenant', () => requestOf(victim, { organization: withSealedShare(seals, lenient) })],
]

testAll(tries)('a thief of a worker gets no signature, and each attempt is logged', async (_what, made) => {
  const before = (await written()).length
  // A worker cannot read seals. It waits if only a seal is wrong.
  expect(['INTENT_NOT_SEALED', 'SIGNER_REFUSED', 'SIGNER']).toContain(String(await codeOf(signer.asks.sign(made()))))
  const after = await written()
  expect(after.slice(before).map(({ event }) => event)).toEqual(['REFUSED'])
})

test('the thief’s honest request is signed to the intent’s recipient, which shows that the refused ones were signable', async () => {
  const order = await signer.asks.sign(requestOf(victim))
  expect(order.intent.recipient).toBe(intent.targetAddress)
  expect((await written()).at(-1)).toMatchObject({ event: 'SIGNED', orderId: order.id })
})

test('a re-drive requested by a thief is only refunded to the address in its intent', async () => {
  const order = await signer.asks.sign(requestOf(refund))
  expect(order).toMatchObject({ kind: 'REFUND', intent: { recipient: refundAddress }, protocolFee: '0', gasFee: '0' })
  expect((await written()).at(-1)).toMatchObject({ event: 'SIGNED', orderId: order.id, kind: 'REFUND' })
})

/** Responses of a thief of the signer's process, who has its keys. `order` is the requested one. */
const account = privateKeyToAccount(generatePrivateKey())
type Said = Record<string, unknown>
const answers: [string, (order: Order) => Said | Promise<Said>][] = [
  ['an order to himself', (order) => signedBy({ ...order, intent: { ...order.intent, recipient: thief } })],
  [
    'an order of another account',
    (order) => signedBy({ ...order, account: thief, accountSalt: `0x${'5'.repeat(64)}` }),
  ],
  ['another fee', (order) => signedBy({ ...order, protocolFee: order.amountIn })],
  ['another call', (order) => signedBy({ ...order, target: thief, data: '0x12345678' })],
  ['a fee in coin', (order) => signedBy({ ...order, nativeFee: '1000000000000000000' })],
  ['an order that lasts for years', (order) => signedBy({ ...order, deadline: order.deadline + 100_000_000 })],
  ['another deadline than he signed', (order) => ({ ...order, deadline: order.deadline - 1 })],
  ['a signature by an unknown key', (order) => ({ ...order, signature: `0x${'0'.repeat(130)}` })],
  ['the signature of a draft', async (order) => ({ ...order, signature: await signedDraft(order.id) })],
  ['half an answer', ({ id }) => ({ id })],
]
const signedBy = async (order: Order): Promise<Said> => {
  const id = orderDigest(order, { chainId: order.chainId, executor: signerSettings.executor })
  return { ...order, id, signature: await account.sign({ hash: id }) }
}

/** A stolen signer, which authenticates its responses. */
type TermsPorts = Pick<Parameters<typeof ownTerms>[1], 'storedLogs' | 'onOtherLog'>
async function stolenSigner(
  answerTo: (order: Order) => object | Promise<object>,
  signers?: Address[],
  heard: TermsPorts = { storedLogs: recordsInMemory() },
) {
  const access = signerAccess([accessKey])
  const honest = signing({ ...signerSettings, seals })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const asked = (await request.json()) as SigningRequest
      const body = JSON.stringify(await answerTo(await honest.sign(asked)))
      const nonce = request.headers.get(headerNames.nonce)!
      return new Response(body, { headers: { [headerNames.mac]: access.ofAnswer({ nonce, status: 200, body }, 0) } })
    },
  })
  const told: string[] = []
  const remote = remoteSigner({ now: Date.now, url: `http://127.0.0.1:${server.port}`, accessKeys: [accessKey] })
  const asks = ownTerms(remote, {
    ...signerSettings,
    signers,
    ...heard,
    onFalseAnswer: ({ message }) => told.push(message),
    onUnable: () => {},
    now: Date.now,
  })
  return { asks, told, stop: () => server.stop(true) }
}

testAll(answers)('a stolen signer’s response never gets anything else sent', async (what, said) => {
  const stolen = await stolenSigner(async (order) => ({ order: await said(order) }))
  expect(await codeOf(stolen.asks.sign(requestOf(victim)))).toBe('SIGNER')
  expect(stolen.told).toHaveLength(what === 'half an answer' ? 0 : 1)
  await stolen.stop()
})

test('a signature by another key is not sent if the worker knows the right one', async () => {
  const other = privateKeyToAccount(generatePrivateKey())
  const answer = async (order: Order) => ({ order: { ...order, signature: await other.sign({ hash: order.id }) } })
  const known = await stolenSigner(answer, [account.address])
  expect(await codeOf(known.asks.sign(requestOf(victim)))).toBe('SIGNER')
  expect(known.told).toEqual(['The signer returned a signature by a key that SIGNER_ADDRESSES does not name'])
  const rotated = await stolenSigner(answer, [account.address, other.address])
  expect((await rotated.asks.sign(requestOf(victim))).id).toMatch(/^0x/)
  await Promise.all([known.stop(), rotated.stop()])
})

test('no worker sends anything, even after a restart, if the signer’s log was shortened or replaced', async () => {
  const another = { count: 4, last: 'f'.repeat(64) }
  const heads = [3, 4, 4, 5, 6].map((count) => ({ count, last: String(count).repeat(64) }))
  for (const [n, other] of [heads[0]!, another, undefined].entries()) {
    let asked = 0
    const answers = heads.with(2, other!)
    const storedLogs = recordsInMemory<SignerLogState>()
    const others: unknown[] = []
    const answering = () =>
      stolenSigner((order) => ({ order, log: answers[asked++] }), undefined, {
        storedLogs,
        onOtherLog: (met) => others.push(met),
      })
    const stolen = await answering()
    const said = []
    for (const _ of heads) said.push(await codeOf(stolen.asks.sign(requestOf(victim))))
    expect(said, `head ${n}`).toEqual(['signed', 'signed', 'SIGNER', 'SIGNER', 'SIGNER'])
    expect(stolen.told).toEqual(Array(3).fill('The signing log of the signer is shorter than before or was replaced'))
    expect(asked).toBe(3)
    expect(others).toEqual([{ known: 4, heard: other?.count ?? 0 }])
    // A worker that starts now, or a different one, reads the store instead of its memory.
    const later = await answering()
    expect(await codeOf(later.asks.sign(requestOf(victim)))).toBe('SIGNER')
    expect([asked, storedLogs.get('signer').count]).toEqual([3, 4])
    await later.stop()
    await stolen.stop()
  }
})

test('only the signature of a stolen signer’s response is used', async () => {
  const stolen = await stolenSigner((order) => ({
    order: { ...order, gasLimit: '900000000', nativeFee: '7', intent: { ...order.intent, recipient: thief } },
  }))
  const order = await stolen.asks.sign(requestOf(victim))
  expect([order.gasLimit, order.nativeFee, order.intent.recipient]).toEqual(['400000', '0', intent.targetAddress])
  expect(orderDigest(order, { chainId: order.chainId, executor: signerSettings.executor })).toBe(order.id)
  await stolen.stop()
})

test('workers accept only INTENT_NOT_SEALED as a permanent error from a stolen signer, if their rules allow the order', async () => {
  const believed = []
  for (const code of errorCodes) {
    const stolen = await stolenSigner(() => ({ failure: { kind: 'CODE', code, why: '' } }))
    const told = await codeOf(stolen.asks.sign(requestOf(victim)))
    if (told === code && !new RoutingError(code).retryable) believed.push(code)
    else expect([code, 'SIGNER']).toContain(String(told))
    await stolen.stop()
  }
  expect(believed).toEqual(['INTENT_NOT_SEALED'])
})

test('a thief of an API or of the database gets no response from the signer', async () => {
  for (const key of [`0x${'5ea1'.repeat(16)}`, `0x${'1'.repeat(64)}`] as const) {
    const asks = remoteSigner({ now: Date.now, url: signer.url, accessKeys: [key] })
    expect(await codeOf(asks.sign(requestOf(victim)))).toBe('SIGNER')
    expect(await codeOf(asks.verifyIntent(victim))).toBe('SIGNER')
  }
  expect(signer.outcomes.slice(-4)).toEqual(['DENIED', 'DENIED', 'DENIED', 'DENIED'])
})

test('an intent sealed by a thief of an API is trusted like that of any integrator', async () => {
  expect(await signer.asks.verifyIntent(withFacts({ intent: sealed(victim, toThief) }))).toBeNull()
})
