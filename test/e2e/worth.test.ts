import { afterAll, beforeAll, expect, test } from 'bun:test'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { laneId } from '../../src/domain/execution/lane'
import { type Environment, startEnvironment, until } from '../support/environment'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ watchesAll: false, withRelay: true })
}, 600_000)
afterAll(() => environment?.stop())

const fault = (target: string, kind: string | null) =>
  fetch(`${environment.devnet.controlUrl}/faults/${target}`, {
    method: kind ? 'PUT' : 'DELETE',
    ...(kind && { body: JSON.stringify({ fault: kind }) }),
  })
const lies = ['UNDERPAY', 'FEE_GRAB', 'NATIVE_FEE']
const amountRaw = 25_000_000n

test.each(lies)(
  'while LI.FI lies by %s beside an honest Relay, the deposit goes by Relay, whole',
  async (lie) => {
    const { devnet, intend, newUserId, ended } = environment
    const userId = newUserId('beside')
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await fault('lifi', lie)
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
    const [done] = await ended(userId, 1)
    await fault('lifi', null)
    expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { route: { provider: 'relay' } } })
    expect(done!.facts.candidates!.find(({ provider }) => provider === 'lifi')!.outcome).not.toBe('NOT_BEST')
    expect(BigInt(done!.facts.delivery!.amountRaw) * 100n).toBeGreaterThan(BigInt(done!.facts.route!.amountIn) * 97n)
  },
  600_000,
)

test.each(lies)(
  'while LI.FI lies by %s and nobody else routes, no money moves; after that it is delivered',
  async (lie) => {
    const { devnet, intend, newUserId, ended, executionsOf } = environment
    const userId = newUserId('alone')
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await Promise.all([fault('lifi', lie), fault('relay', 'NO_ROUTE')])
    const pay = () => devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
    await pay()
    const refused = await until('it is refused', 30_000, async () => {
      const [one] = await executionsOf(userId)
      return one && (one.retryCount > 0 || one.completedAt !== null) ? one : null
    })
    expect(refused.facts.order).toBeUndefined()
    expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(amountRaw)
    await Promise.all([fault('lifi', null), fault('relay', null)])
    // The next deposit also routes what the ended one left in the account.
    if (refused.completedAt !== null) {
      expect(refused).toMatchObject({ status: 'FAILED_UNROUTABLE_MAIN', cause: { code: 'ROUTE_OUTSIDE_POLICY' } })
      expect(refused.facts.candidates).toMatchObject([{ provider: 'lifi', outcome: 'OUTSIDE_POLICY' }, {}])
      await pay()
    }
    const done = (await ended(userId, refused.completedAt === null ? 1 : 2)).at(-1)!
    expect(done.status).toBe('SUCCESS')
    expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(0n)
  },
  600_000,
)

test('a token without a price waits for an operator, says so, and is delivered once approved', async () => {
  const { devnet, installation, intend, newUserId, ended, store } = environment
  const { keys, apiUrl } = installation
  const userId = newUserId('unpriced')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const ask = async (key: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const asking = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
    const answer = await fetch(`${apiUrl}/api/${path}`, asking)
    return { status: answer.status, json: await answer.json() }
  }
  const simulated = { userId, fromChainId: 8453, fromTokenSymbol: 'SY-UNPRICED', amountInAtomic: String(amountRaw) }
  expect(await ask(keys.client, 'routing/simulate-deposit', simulated)).toMatchObject({
    status: 503,
    json: { message: expect.stringMatching(/operator approves/) },
  })

  await devnet.sendDeposit({ chainKey: 'base', token: 'SY-UNPRICED', amountRaw, to: depositAddress })
  const lane = laneId(depositAddress, 8453, tokenOf(8453, 'SY-UNPRICED')!.address)
  const record = async () => {
    const [one] = await store.executions.unspentIn(lane)
    return one ? store.executions.load(one.id) : null
  }
  const waiting = await until('it waits', 30_000, async () => {
    const one = await record()
    return one?.facts.waiting?.for === 'WORTH' ? one : null
  })
  expect(waiting).toMatchObject({ retryCount: 0, cause: null, status: null })
  const path = `executions/${encodeURIComponent(waiting.id)}`
  const seen = await ask(keys.client, `deposits/${encodeURIComponent(waiting.id)}`)
  expect(seen.json.next).toMatchObject({ actor: 'OPERATOR', action: 'APPROVE' })
  expect(seen.json.next.message).toMatch(/LI\.FI guarantees [\d.]+ \S+ \(\d+ atomic units\)/)

  const reason = 'It is worth a dollar'
  const tooMuch = { reason, amountOutMin: '99000000' }
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, tooMuch)).status).toBe(202)
  await until('it waits again', 30_000, async () => {
    const one = await record()
    return one?.facts.candidates?.[0]?.reason?.includes('less than an operator has approved') ? one : null
  })
  const enough = { reason, amountOutMin: '24000000' }
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, enough)).status).toBe(202)
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { route: { provider: 'lifi' } } })
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, tooMuch)).status).toBe(409)
}, 600_000)
