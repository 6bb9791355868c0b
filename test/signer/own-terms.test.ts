import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import { type SignerLogState, signerLogId } from '../../src/domain/signer-log'
import type { SigningRequest } from '../../src/ports/signer'
import { ownTerms } from '../../src/signer/own-terms'
import { signableOf, storedSigner } from '../../src/signer/policy-signer'
import { headsApartSeconds } from '../../src/signer/signed-once'
import { signing } from '../../src/signer/signing'
import { recordsInMemory } from '../support/records'
import { anyIntent } from '../support/seals'
import { accountSalt, sealedRecord, signable, signerSettings } from '../support/signable'
import { testAll } from '../support/test-all'

const deadline = 1_800_000_000
const quiet = { onUnable: () => {}, now: () => 0 }
const request: SigningRequest = {
  execution: signableOf(sealedRecord(signable())),
  deadline,
  accountSalt,
  organization: null,
}

test('a valid signature is used only if its deadline is at most two minutes after the requested one', async () => {
  expect(headsApartSeconds).toBe(120)
  for (const [later, why] of [
    [120, []],
    [121, ['The signer returned a deadline that was not requested']],
  ] as const) {
    const refused: string[] = []
    const sign = (asked: SigningRequest) => signing(signerSettings).sign({ ...asked, deadline: deadline + later })
    const asks = ownTerms(
      { sign, verifyIntent: anyIntent },
      {
        ...signerSettings,
        storedLogs: recordsInMemory<SignerLogState>(),
        onFalseAnswer: ({ message }) => refused.push(message),
        ...quiet,
      },
    )
    const got = await asks.sign(request).then(
      (order) => order.deadline,
      (error) => error.waitingFor,
    )
    expect({ got, refused }).toEqual({ got: why.length > 0 ? 'SIGNER' : deadline + later, refused: [...why] })
  }
})

const refusing = (why: string) => async () => {
  throw new RoutingError('SIGNER_REFUSED', { cause: new Error(why) })
}
const asksOf = (sign: () => Promise<never>, now: () => number, told: string[] = []) =>
  ownTerms(
    { sign, verifyIntent: anyIntent },
    {
      ...signerSettings,
      storedLogs: recordsInMemory<SignerLogState>(),
      onFalseAnswer: () => {},
      onUnable: ({ message }) => told.push(message),
      now,
    },
  )

// A released signer sends these texts. They never change.
testAll([
  'The call is not on the allow-list',
  'The call is encoded in an unusual way',
  'The call cannot be decoded',
  'The call does not contain its order',
  'The call has another order than the intent',
  'The call is attested at an unknown finality',
])('a refusal of an unreadable call holds back its kind of call', async (why) => {
  const asks = asksOf(refusing(why), () => 0)
  await asks.sign(request).catch(() => {})
  expect(asks.unreadUntil!(request.execution.facts.route!)).toBe(60_000)
})

testAll([
  'The call is not on the allow-list',
  'The call pays another recipient',
  'The account does not belong to its salt',
  'There is no RecoveryExecutor',
  'The fees do not follow the fee rules',
])('an order that the signer refuses and the worker’s own rules allow waits, and any other ends', async (why) => {
  const asks = asksOf(refusing(why), () => 0)
  expect(await asks.sign(request).catch((error) => error.name)).toBe('SignerUnable')
  // A call that the worker's own rules refuse as well is not the signer's fault.
  const { route } = request.execution.facts
  const call = { ...route!.call!, data: '0xdeadbeef' } as const
  const execution = { ...request.execution, facts: { ...request.execution.facts, route: { ...route!, call } } }
  expect(await asks.sign({ ...request, execution }).catch((error) => error.name)).toBe('RoutingError')
})

test('a refusal for another reason is reported once a minute while it lasts, and holds back no other deposit', async () => {
  const clock = { at: 0 }
  const told: string[] = []
  const why = 'The account does not belong to its salt'
  const asks = asksOf(refusing(why), () => clock.at, told)
  for (; clock.at < 3 * 60_000; clock.at += 30_000) await asks.sign(request).catch(() => {})
  expect(told).toEqual([why, why, why])
  expect(asks.unreadUntil!(request.execution.facts.route!)).toBeNull()
})

test('a kind of call that the signer cannot read is reported once, and requested again after a minute', async () => {
  const clock = { at: 1_000 }
  const told: string[] = []
  const asks = asksOf(refusing('The call is not on the allow-list'), () => clock.at, told)
  const route = request.execution.facts.route!
  expect(asks.unreadUntil!(route)).toBeNull()
  for (let n = 0; n < 3; n++) await asks.sign(request).catch(() => {})
  expect(asks.unreadUntil!(route)).toBe(61_000)
  expect(asks.unreadUntil!({ call: { ...route.call!, data: '0xdeadbeef' } })).toBeNull()
  expect(asks.unreadUntil!({ call: null })).toBeNull()
  const stores = { accounts: { load: async () => null }, organizations: { load: async () => null } }
  expect(storedSigner(asks, { ...signerSettings, ...stores }).unreadUntil).toBe(asks.unreadUntil)
  expect(told).toEqual([expect.stringMatching(/^The call is not on the allow-list: 0x[0-9a-f]{8} of 0x[0-9a-f]{40}$/)])
  clock.at = 61_000
  expect(asks.unreadUntil!(route)).toBeNull()
})

test('a response without a log, after one with entries, stops all later ones until an operator accepts it', async () => {
  const storedLogs = recordsInMemory<SignerLogState>()
  const others: unknown[] = []
  let log: { count: number; last: string } | undefined = { count: 3, last: '0xab' }
  const sign = async (asked: SigningRequest) => ({
    ...(await signing(signerSettings).sign(asked)),
    ...(log && { log }),
  })
  const asks = ownTerms({ sign, verifyIntent: anyIntent } as never, {
    ...{ ...signerSettings, storedLogs },
    onFalseAnswer: () => {},
    onOtherLog: (heads) => others.push(heads),
    ...quiet,
  })
  const outcome = () =>
    asks.sign(request).then(
      () => 'signed',
      (error) => [error.waitingFor, error.retryInMs],
    )
  expect(await outcome()).toBe('signed')
  log = undefined
  expect(await outcome()).toEqual(['SIGNER', 10_000])
  log = { count: 4, last: '0xcd' }
  expect(await outcome()).toEqual(['SIGNER', 10_000])
  expect(others).toEqual([{ known: 3, heard: 0 }])
  expect(await storedLogs.load(signerLogId)).toMatchObject({ count: 3, last: '0xab', other: { count: 0, last: '' } })
})
