import { expect, test } from 'bun:test'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { SignedOrder, SigningEntry, SigningLog } from '../../src/ports/signer'
import { signableOf } from '../../src/signer/policy-signer'
import { signedOnce } from '../../src/signer/signed-once'
import { signing } from '../../src/signer/signing'
import { believing } from '../support/appraisers'
import { seals } from '../support/seals'
import { accountSalt, addressOf, sealedRecord, signable, signerSettings } from '../support/signable'

const headAt = 1_800_000_000
const deadline = headAt + 150

/** Events in order: judged, signed and written. */
function world({ isFull = false, isHourFull = false } = {}) {
  const happened: string[] = []
  const entries: SigningEntry[] = []
  const head = { time: headAt }
  const log: SigningLog = {
    lastSigned: (chainId, routeId) =>
      (entries.findLast((one) => one.event === 'SIGNED' && one.chainId === chainId && one.routeId === routeId) as
        | (SigningEntry & SignedOrder)
        | undefined) ?? null,
    async append(entry) {
      if (isFull) throw new Error('No space is left')
      happened.push(entry.event)
      entries.push(entry)
    },
  }
  const judge = async () => {
    happened.push('judged')
    return 'ENOUGH' as const
  }
  const core = signing({ ...signerSettings, seals, appraiser: { ...believing, judge } })
  const caps = {
    async take() {
      happened.push('counted')
      if (isHourFull) throw new TemporarilyUnavailable('the hourly cap', 1_000, 'SIGNER')
    },
  }
  const freshHead = async () => ({ number: 1, hash: '0x', time: head.time }) as const
  return { signer: signedOnce(core, { log, caps, freshHead, orderSeconds: 150 }), happened, entries, head }
}

const execution = sealedRecord(signable({ gasFeeRaw: 0n }))
const requestOf = (record = execution, until = deadline) => ({
  execution: signableOf(record),
  deadline: until,
  accountSalt,
  organization: null,
})
/** The same deposit with another route that guarantees one unit more. */
const dearer = (() => {
  const other = sealedRecord(signable({ kind: 'BRIDGE', gasFeeRaw: 0n, totalRaw: 26_000_000n }))
  return { ...execution, facts: { ...other.facts, routeId: execution.facts.routeId! } }
})()
const outcomeOf = (signed: Promise<{ id: string }>) =>
  signed.then(
    ({ id }) => id,
    (error) => error.code ?? error.waitingFor ?? error.message,
  )

test('an order is logged before it is returned, and withheld if logging fails', async () => {
  const { signer, happened, entries } = world()
  const order = await signer.sign(requestOf())
  expect(happened).toEqual(['judged', 'counted', 'SIGNED'])
  expect(entries[0]).toMatchObject({ executionId: execution.id, orderId: order.id, deadline, intent: order.intent })
  expect(await outcomeOf(world({ isFull: true }).signer.sign(requestOf()))).toBe('No space is left')
})

test('a repeated request returns the same signature and its deadline without judging again', async () => {
  const { signer, happened, head } = world()
  const first = await signer.sign(requestOf())
  head.time = deadline
  expect(await signer.sign(requestOf(execution, deadline + 150))).toEqual(first)
  expect(happened).toEqual(['judged', 'counted', 'SIGNED'])
})

test('a second order of a route waits until the first expires by the chain’s clock', async () => {
  const { signer, head, entries } = world()
  const first = await signer.sign(requestOf())
  expect(await outcomeOf(signer.sign(requestOf(dearer)))).toBe('SIGNER')
  head.time = deadline
  expect(await outcomeOf(signer.sign(requestOf(dearer)))).toBe('SIGNER')
  head.time = deadline + 1
  const second = await signer.sign(requestOf(dearer, deadline + 151))
  expect(second.id).not.toBe(first.id)
  expect(entries.map((one) => one.event)).toEqual(['SIGNED', 'SIGNED'])
})

test('concurrent requests for two orders of one route get the same order or none', async () => {
  const { signer, entries } = world()
  const asked = Array.from({ length: 20 }, (_, n) => outcomeOf(signer.sign(requestOf(n % 2 ? dearer : execution))))
  const outcomes = new Set(await Promise.all(asked))
  outcomes.delete('SIGNER')
  expect([outcomes.size, entries.length]).toEqual([1, 1])
})

test('a deadline beyond an order’s maximum duration is refused', async () => {
  const { signer, entries } = world()
  expect(await outcomeOf(signer.sign(requestOf(execution, headAt + 3_600)))).toBe('NODE')
  expect(entries).toEqual([])
})

test('a refusal is logged with the broken rule, and a wait is not', async () => {
  const { signer, entries } = world()
  const facts = { ...execution.facts, intent: { ...execution.facts.intent!, targetAddress: addressOf('thief') } }
  expect(await outcomeOf(signer.sign(requestOf({ ...execution, facts })))).toBe('INTENT_NOT_SEALED')
  const { fees: _, ...unpriced } = execution.facts
  expect(await outcomeOf(signer.sign(requestOf({ ...execution, facts: unpriced })))).toBe('SIGNER_REFUSED')
  expect(entries.map((one) => one.event === 'REFUSED' && [one.code, one.why])).toEqual([
    ['INTENT_NOT_SEALED', 'The intent differs from the integrator’s own'],
    ['SIGNER_REFUSED', 'The fees were not priced'],
  ])
})

test('an order over its token’s hourly share is neither returned nor logged, and can be requested again', async () => {
  const full = world({ isHourFull: true })
  const outcome = await full.signer.sign(requestOf()).catch((error) => error)
  expect(outcome).toBeInstanceOf(TemporarilyUnavailable)
  expect([outcome.waitingFor, full.entries]).toEqual(['SIGNER', []])
})
