import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { remoteSigner } from '../../../src/adapters/signer/remote-signer'
import { offerKeysOf, signerAccess } from '../../../src/adapters/signer/signer-access'
import { headerNames, readSigningRequest } from '../../../src/adapters/signer/signer-messages'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Signing } from '../../../src/ports/signer'
import { signableOf } from '../../../src/signer/policy-signer'
import { signing } from '../../../src/signer/signing'
import { believing } from '../../support/appraisers'
import { seals } from '../../support/seals'
import { accountSalt, addressOf, sealedRecord, signable, signerSettings } from '../../support/signable'
import { accessKey, startSigner } from '../../support/signer-process'
import { temporaryFolder } from '../../support/temporary-folder'

const deadline = 1_800_000_000
const settings = { seals }
let records = 0
/** A new deposit each time, whose intent the API sealed. */
const record = (made: Execution = signable()): Execution => sealedRecord({ ...made, id: `${made.id}${++records}` })
const requestOf = (execution: Execution) => ({
  execution: signableOf(execution),
  deadline,
  accountSalt,
  organization: null,
})

const remote = await startSigner({ settings })
const signers: [string, Signing][] = [
  ['in the worker’s process', signing({ ...signerSettings, ...settings })],
  ['in its own process', remote.asks],
]
afterAll(() => remote.stop())

const codeOf = (signed: Promise<unknown>): Promise<unknown> =>
  signed.then(
    () => 'signed',
    (error) => error.code ?? error.waitingFor ?? error,
  )

test.each(signers)('a signer %s signs an order that matches the sealed intent', async (_where, signer) => {
  for (const kind of ['BRIDGE', 'SWAP', 'DIRECT'] as const) {
    const order = await signer.sign(requestOf(record(signable({ kind, totalRaw: 25_000_001n }))))
    expect(order).toMatchObject({ kind, deadline, intent: { recipient: addressOf('recipient') } })
    expect(order.signature).toMatch(/^0x[0-9a-f]{130}$/)
  }
})

test.each(signers)('a signer %s refuses with the broken rule', async (_where, signer) => {
  const honest = record()
  const forged = { ...honest.facts.intent!, targetAddress: addressOf('thief') }
  const elsewhere = { ...honest.facts.route!, call: { ...honest.facts.route!.call!, target: addressOf('thief') } }
  const cases: [Partial<Execution['facts']>, string][] = [
    [{ intent: forged }, 'INTENT_NOT_SEALED'],
    [{ route: elsewhere }, 'SIGNER_REFUSED'],
    [{ gasLimit: '400000000' }, 'SIGNER_REFUSED'],
  ]
  for (const [change, code] of cases) {
    const facts = { ...honest.facts, ...change }
    const error = await signer.sign(requestOf({ ...honest, id: honest.id, facts })).catch((thrown) => thrown)
    expect([error.name, error.code], code).toEqual(['RoutingError', code])
    expect(error.cause.message.length).toBeGreaterThan(10)
  }
  const lenient = { id: 'another', policy: { minOutputBps: 5_000 }, policySeal: null }
  // The worker of a separate signer cannot read the seal, so the deposit waits.
  const refusal = signer.isSeparate ? 'SIGNER' : 'SIGNER_REFUSED'
  expect(await codeOf(signer.sign({ ...requestOf(honest), organization: lenient }))).toBe(refusal)
})

test.each(signers)('a signer %s reports whether an integrator gave an intent', async (_where, signer) => {
  const honest = record()
  expect(await signer.verifyIntent(honest)).toBeNull()
  const facts = { intent: { ...honest.facts.intent!, protocolFeeBps: 0 } }
  expect(await signer.verifyIntent({ ...honest, facts })).toBe('The intent differs from the integrator’s own')
  expect(await signer.verifyIntent({ ...honest, facts: {} })).toBe('The execution has no intent')
})

test('a signer without its own prices makes the execution wait, in any process', async () => {
  const unknown = { ...settings, appraiser: { ...believing, judge: async () => 'UNCLEAR' as const } }
  const apart = await startSigner({ settings: unknown })
  for (const signer of [signing({ ...signerSettings, ...unknown }), apart.asks])
    expect(await signer.sign(requestOf(record())).catch((error) => [error.name, error.waitingFor])).toEqual([
      'WorthUnknown',
      'WORTH',
    ])
  await apart.stop()
})

test('a signer that is unreachable or rejects the requester is awaited without a failure', async () => {
  const gone = await startSigner()
  await gone.stop()
  const strange = remoteSigner({ now: Date.now, url: remote.url, accessKeys: [`0x${'1'.repeat(64)}`] })
  for (const signer of [gone.asks, strange]) {
    const error = await signer.sign(requestOf(record())).catch((thrown) => thrown)
    expect([error.name, error.waitingFor]).toEqual(['SignerSilent', 'SIGNER'])
    expect(error.message).not.toContain(remote.url)
  }
  expect(remote.whys.at(-1)).toBe('The request is not sealed with an access key')
})

test('a request is valid once, for a minute, for its own action, unchanged', async () => {
  const access = signerAccess([accessKey])
  const body = JSON.stringify(requestOf(record()))
  const asked = (change: Partial<Record<'verb' | 'time' | 'nonce' | 'body' | 'mac', string>> = {}) => {
    const request = { verb: 'sign', time: String(Date.now()), nonce: crypto.randomUUID().replaceAll('-', ''), body }
    const mac = access.ofRequest(request)
    const sent = { ...request, mac, ...change }
    const headers = { [headerNames.time]: sent.time, [headerNames.nonce]: sent.nonce, [headerNames.mac]: sent.mac }
    return { sent, send: () => fetch(`${remote.url}/v1/${sent.verb}`, { method: 'POST', headers, body: sent.body }) }
  }
  const statusOf = async (answer: Promise<Response>) => (await answer).status
  const first = asked()
  expect(await statusOf(first.send())).toBe(200)
  expect(await statusOf(first.send())).toBe(401)
  const old = { verb: 'sign', time: String(Date.now() - 61_000), nonce: '0'.repeat(32), body }
  expect(await statusOf(asked({ ...old, mac: access.ofRequest(old) }).send())).toBe(401)
  for (const change of [
    { verb: 'status' },
    { verb: 'verify-intent' },
    { time: String(Date.now() + 30_000) },
    { nonce: 'f'.repeat(32) },
    { body: body.replace('"amountIn":"2', '"amountIn":"1') },
    { mac: '' },
    { mac: 'f'.repeat(64) },
  ])
    expect(await statusOf(asked(change).send()), JSON.stringify(change)).toBe(401)
  expect(await statusOf(fetch(`${remote.url}/v1/sign`))).toBe(401)
  expect(await statusOf(fetch(`${remote.url}/metrics`))).toBe(401)
})

test('a response that the signer did not give to this request counts as none', async () => {
  const access = signerAccess([accessKey])
  const honest = await remote.asks.sign(requestOf(record(signable({ totalRaw: 26_000_000n }))))
  const thiefs = { order: { ...honest, intent: { ...honest.intent, recipient: addressOf('thief') } } }
  const answers: ((nonce: string) => { status: number; body: string; mac: string })[] = [
    () => ({ status: 200, body: JSON.stringify(thiefs), mac: 'f'.repeat(64) }),
    // A response to a different request.
    () => {
      const body = JSON.stringify({ order: honest })
      return { status: 200, body, mac: access.ofAnswer({ nonce: 'another', status: 200, body }, 0) }
    },
    // A response with a different status.
    (nonce) => ({ status: 200, body: '{}', mac: access.ofAnswer({ nonce, status: 500, body: '{}' }, 0) }),
  ]
  for (const answer of answers) {
    const between = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const { status, body, mac } = answer(request.headers.get(headerNames.nonce)!)
        return new Response(body, { status, headers: { [headerNames.mac]: mac } })
      },
    })
    const deceived = remoteSigner({ now: Date.now, url: `http://127.0.0.1:${between.port}`, accessKeys: [accessKey] })
    expect(await codeOf(deceived.sign(requestOf(record())))).toBe('SIGNER')
    expect(await codeOf(deceived.verifyIntent(record()))).toBe('SIGNER')
    await between.stop(true)
  }
})

test('an endless response is read only up to the maximum size', async () => {
  let sent = 0
  const endless = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            // It would end at 200 MB, so a worker that keeps reading fails here instead of running out of memory.
            if (sent >= 200_000_000) return controller.close()
            sent += 100_000
            controller.enqueue(new Uint8Array(100_000))
          },
        }),
      ),
  })
  const deceived = remoteSigner({ now: Date.now, url: `http://127.0.0.1:${endless.port}`, accessKeys: [accessKey] })
  const error = await deceived.sign(requestOf(record())).catch((thrown) => thrown)
  expect([error.waitingFor, error.cause.message]).toEqual([
    'SIGNER',
    'Its response is longer than any response of the signer',
  ])
  await endless.stop(true)
})

test('the body of a request without valid headers is not read', async () => {
  const { port } = new URL(remote.url)
  const [time, nonce, mac] = [String(Date.now()), '0'.repeat(32), '0'.repeat(64)]
  const good = { [headerNames.time]: time, [headerNames.nonce]: nonce, [headerNames.mac]: mac, 'content-length': '100' }
  const wrong = [
    { [headerNames.time]: '1' },
    { [headerNames.nonce]: 'x' },
    { [headerNames.mac]: 'x' },
    { 'content-length': '' },
  ]
  for (const change of wrong) {
    // It announces a body and never sends it. A server that waits for the body gives no response.
    const said = Promise.withResolvers<string>()
    const lines = Object.entries({ ...good, ...change }).flatMap(([name, value]) => (value ? `${name}: ${value}` : []))
    const chunked = lines.some((line) => line.startsWith('content-length')) ? [] : ['transfer-encoding: chunked']
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(port),
      socket: { data: (_, bytes) => said.resolve(bytes.toString()), close: () => said.resolve('closed') },
    })
    socket.write(['POST /v1/sign HTTP/1.1', 'host: signer', ...lines, ...chunked, '', ''].join('\r\n'))
    expect((await said.promise).split('\r\n')[0], JSON.stringify(change)).toContain('401')
    socket.terminate()
  }
})

test('the access key is rotated one process after the other', async () => {
  const [old, next] = [accessKey, `0x${'2'.repeat(64)}`] as const
  const rotating = await startSigner({ settings, accessKeys: [next, old] })
  for (const accessKeys of [[old], [next], [next, old]])
    expect(await remoteSigner({ now: Date.now, url: rotating.url, accessKeys }).verifyIntent(record())).toBeNull()
  expect(new Set([...offerKeysOf([old, next]), old, next]).size).toBe(4)
  await rotating.stop()
})

test('workers on the same machine reach it through a socket', async () => {
  const apart = await startSigner({ settings, listen: `unix:${join(temporaryFolder('socket'), 'signer.sock')}` })
  expect((await apart.asks.sign(requestOf(record()))).deadline).toBe(deadline)
  expect(await apart.asks.status()).toMatchObject({ version: 'test' })
  await apart.stop()
})

test('a malformed request is distinguished from a refusal, and is no bug', async () => {
  const honest = JSON.parse(JSON.stringify(requestOf(record()))) as ReturnType<typeof requestOf>
  expect(readSigningRequest(honest)).toEqual(honest)
  const { execution } = honest
  const wrong: unknown[] = [
    null,
    [],
    { ...honest, deadline: '1' },
    { ...honest, accountSalt: '0x' },
    { ...honest, execution: { ...execution, deposit: { ...execution.deposit, chainId: 5 } } },
    { ...honest, execution: { ...execution, deposit: { ...execution.deposit, amountRaw: '-1' } } },
    { ...honest, execution: { ...execution, facts: { ...execution.facts, gasLimit: '0x10' } } },
    { ...honest, execution: { ...execution, facts: { ...execution.facts, gasLimit: { $gt: '' } } } },
  ]
  for (const each of wrong) expect(readSigningRequest(each), JSON.stringify(each)).toBeNull()
  expect(await codeOf(remote.asks.sign({ ...honest, deadline: Number.NaN }))).toBe('SIGNER')
  expect(remote.outcomes.at(-1)).toBe('MALFORMED')
  const { facts } = execution
  const secret = { ...execution, facts: { ...facts, gasLimit: 'a secret' } } as typeof execution
  expect(await codeOf(remote.asks.sign({ ...honest, execution: secret }))).toBe('SIGNER')
  expect(remote.malformed).toEqual(['deadline', 'execution.facts.gasLimit'])
  expect(remote.bugs).toEqual([])
})
