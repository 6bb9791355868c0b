import { expect, test } from 'bun:test'
import { type Attempt, countAttempt, limitedPaths } from '../../../src/http/dashboard/sign-in/attempts'
import { authPaths } from '../../../src/http/dashboard/sign-in/auth'
import { limitCountersInMemory } from '../../support/limit-counters'

const somebody: Attempt = { address: '192.0.2.1', email: 'a@x.test', device: null, session: 'session_1' }

/** Counts how many successive attempts are admitted. */
function counter(path: string) {
  const ports = { limitCounters: limitCountersInMemory(), now: () => 0 }
  const one = (attempt: Partial<Attempt> = {}) => countAttempt(ports, path, { ...somebody, ...attempt })
  return {
    one,
    async admitted(count: number, attempt: (n: number) => Partial<Attempt>, isGood = false): Promise<number> {
      let passed = 0
      for (let n = 0; n < count; n++) {
        const counted = await one(attempt(n)).catch(() => null)
        if (counted && isGood) await counted.succeeded()
        if (counted) passed++
      }
      return passed
    },
  }
}

test('every limited path limits an attempt, for any name and any device', async () => {
  expect(authPaths.POST).toEqual(expect.arrayContaining(limitedPaths))
  for (const path of limitedPaths)
    for (const email of [null, 'a@x.test'])
      for (const device of [null, 'known.device'])
        expect([path, email, device, (await counter(path).admitted(200, () => ({ email, device }))) <= 60]).toEqual([
          path,
          email,
          device,
          true,
        ])
})

test('few e-mails go to one person even if every request is valid and from a different place', async () => {
  const most = { 'sign-up/email': 5, 'request-password-reset': 3, 'send-verification-email': 3 }
  for (const [path, expected] of Object.entries(most)) {
    const from = (n: number) => ({ address: `198.51.100.${n}`, session: null })
    expect([path, await counter(path).admitted(40, from, true)]).toEqual([path, expected])
  }
})

test('repeated successful sign-ins are never refused', async () => {
  expect(await counter('sign-in/email').admitted(40, () => ({ session: null }), true)).toBe(40)
})

test('a network that guesses endlessly locks no other network out', async () => {
  const { admitted, one } = counter('sign-in/email')
  await admitted(60, () => ({ session: null }))
  expect(await admitted(90, (n) => ({ address: `198.51.100.${n}`, session: null }))).toBe(90)
  await expect(one({ address: '203.0.113.1' })).rejects.toThrow('Too many attempts')
})

test('a refused attempt does not count against the named person', async () => {
  const { one, admitted } = counter('sign-up/email')
  for (let n = 0; n < 20; n++) await (await one()).notBegun()
  expect(await admitted(20, () => ({}))).toBe(5)
})

test('an IPv6 network counts once, however its hosts are written', async () => {
  for (const network of ['2001:db8:0:0', '2001:db8:5:0', '2001:db8:0:7', '2a01:4f8:1:2', '0:0:0:0']) {
    const host = (n: number) => `${network}:${n + 1}:b:c:d`
    const written = (n: number) => new URL(`http://[${host(n)}]`).hostname.slice(1, -1)
    const attempt = (n: number) => ({ address: n % 2 ? written(n) : host(n).toUpperCase(), session: null })
    expect([network, await counter('sign-in/email').admitted(40, attempt)]).toEqual([network, 10])
  }
})

test('a wrong guess leaves one less, by the tightest limit, and a right one gives it back', async () => {
  const { one } = counter('sign-in/email')
  const first = await one()
  expect(await first.left()).toBe(9)
  const second = await one()
  expect(await second.left()).toBe(8)
  await second.succeeded()
  expect(await first.left()).toBe(9)
  expect(await (await counter('sign-up/email').one()).left()).toBeNull()
  expect(await (await counter('two-factor/enable').one({ session: null })).left()).toBeNull()
})
