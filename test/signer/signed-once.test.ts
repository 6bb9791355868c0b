import { expect, test } from 'bun:test'
import { chainOf } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { SignedOrder, SigningEntry, SigningLog } from '../../src/ports/signer'
import { signableOf } from '../../src/signer/policy-signer'
import { headsApartSeconds, signedOnce } from '../../src/signer/signed-once'
import { signing } from '../../src/signer/signing'
import { believing } from '../support/appraisers'
import { seals } from '../support/seals'
import { accountSalt, addressOf, sealedRecord, signable, signerSettings } from '../support/signable'
import { until } from '../support/until'

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

const core = signing({ ...signerSettings, seals, appraiser: believing })
const bare = {
  log: { lastSigned: () => null, append: async () => {} } satisfies SigningLog,
  caps: { take: async () => {} },
  freshHead: async () => ({ number: 1, hash: '0x', time: headAt }) as const,
  orderSeconds: 150,
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

test('a deadline may exceed an order’s duration by the distance of two nodes, and no second more', async () => {
  const latest = headAt + 150 + headsApartSeconds
  expect(await outcomeOf(world().signer.sign(requestOf(execution, latest)))).toMatch(/^0x/)
  const late = await world()
    .signer.sign(requestOf(execution, latest + 1))
    .catch((error) => error)
  expect([late.waitingFor, late.retryInMs]).toEqual(['NODE', 10_000])
})

test('a request that follows an earlier one of its route waits for it, also after others have ended', async () => {
  const { signer, log, caps } = { ...world(), ...bare }
  const heads: (() => void)[] = []
  const freshHead = () =>
    new Promise<{ number: number; hash: '0x'; time: number }>((resolve) =>
      heads.push(() => resolve({ number: 1, hash: '0x', time: headAt })),
    )
  const slow = signedOnce({ ...core, verifyIntent: signer.verifyIntent }, { log, caps, freshHead, orderSeconds: 150 })
  const asked = [slow.sign(requestOf()), slow.sign(requestOf())]
  await until('the first request reads the chain', (note) => note(heads.length) === 1)
  heads[0]!()
  await asked[0]
  await until('the second request reads the chain', (note) => note(heads.length) === 2)
  asked.push(slow.sign(requestOf()))
  await Promise.resolve()
  const other = slow.sign(requestOf({ ...execution, facts: { ...execution.facts, routeId: `0x${'9'.repeat(64)}` } }))
  other.catch(() => {})
  await until('a request of another route reads the chain', (note) => note(heads.length) >= 3)
  expect(heads.length).toBe(3)
  heads[1]!()
  await asked[1]
  await until('the third request reads the chain', (note) => note(heads.length) === 4)
  heads[3]!()
  await asked[2]
})

test('a refusal without a stated rule is logged with its code alone', async () => {
  const refusing = { ...core, sign: () => Promise.reject(new RoutingError('SIGNER_REFUSED')) }
  const entries: SigningEntry[] = []
  const log: SigningLog = { lastSigned: () => null, append: async (entry) => void entries.push(entry) }
  const signer = signedOnce(refusing, { ...bare, log })
  expect(await outcomeOf(signer.sign(requestOf()))).toBe('SIGNER_REFUSED')
  expect(entries).toMatchObject([{ event: 'REFUSED', code: 'SIGNER_REFUSED', why: '' }])
})

test('an order’s gas limit is at most the chain’s', async () => {
  const { gasLimitMax } = chainOf(execution.deposit.chainId)
  const limited = (gasLimit: bigint) =>
    outcomeOf(
      world().signer.sign(requestOf({ ...execution, facts: { ...execution.facts, gasLimit: String(gasLimit) } })),
    )
  expect(await limited(gasLimitMax)).toMatch(/^0x/)
  expect(await limited(gasLimitMax + 1n)).toBe('SIGNER_REFUSED')
})
