import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData } from 'viem'
import { devTokenAbi } from '../../contracts/artifacts/abi'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import type { Address } from '../../src/domain/chain/hex'
import { laneId } from '../../src/domain/execution/lane'
import { addressOf } from '../support/deposits'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { testAll } from '../support/test-all'
import { type Note, until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ watchesAll: false, withRelay: true })
})
afterAll(() => environment?.stop())

const fault = (target: string, body: object | null) =>
  fetch(`${environment.devnet.controlUrl}/faults/${target}`, {
    method: body ? 'PUT' : 'DELETE',
    ...(body && { body: JSON.stringify(body) }),
  })

const healthy = () => Promise.all([fault('lifi', null), fault('relay', null)])

test('money that bridges keep refunding is routed three more times, pays one protocol fee, and then stays', async () => {
  const { devnet, intend, newUserId, ended } = environment
  const userId = newUserId('returned')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const amountRaw = 25_000_000n
  await devnet.sendDeposit({ chainKey: 'base', token: 'SY-REFUND', amountRaw, to: depositAddress })
  const line = await ended(userId, 5)

  expect(line.map(({ status }) => status)).toEqual(Array(5).fill('DEAD_LETTER'))
  expect(line.map(({ cause }) => cause?.code)).toEqual([...Array(4).fill('FUNDS_RETURNED'), 'RETURNED_TOO_OFTEN'])
  expect(line.map(({ refundOf }) => refundOf)).toEqual([null, ...line.slice(0, 4).map(({ id }) => id)])
  expect(line.map(({ continuedBy }) => continuedBy)).toEqual([...line.slice(1).map(({ id }) => id), null])
  expect(line.slice(0, 4).map(({ facts }) => facts.returned?.hash)).toEqual(
    line.slice(1).map(({ deposit }) => deposit.txHash),
  )

  const fees = line.slice(0, 4).map(({ facts }) => BigInt(facts.fees!.protocolFeeEffective))
  expect(fees).toEqual([(amountRaw * 50n) / 10_000n, 0n, 0n, 0n])
  // Each bridge returned what it received, less the fees and the provider's part.
  expect(await devnet.balanceOf('base', 'SY-REFUND', depositAddress)).toBe(BigInt(line[4]!.deposit.amountRaw))
  for (const [n, { facts }] of line.slice(0, 4).entries())
    expect(BigInt(line[n + 1]!.deposit.amountRaw)).toBeLessThanOrEqual(BigInt(facts.route!.amountIn))
})

test('a second deposit during a bridge transfer is not mistaken for a refund of the first', async () => {
  const { devnet, intend, newUserId, ended, executionsOf } = environment
  const userId = newUserId('twice')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const held = { chainKey: 'base', token: 'SY-HOLD', amountRaw: 25_000_000n, to: depositAddress } as const
  await devnet.sendDeposit(held)
  const isRunning = async (note: Note) =>
    note((await executionsOf(userId)).map(({ facts }) => facts)).some(({ spent }) => spent !== undefined)
  await until('the first has left', isRunning)
  await devnet.sendDeposit({ ...held, token: 'USDC' })
  const [second] = await ended(userId, 1)
  expect(second).toMatchObject({ status: 'SUCCESS', refundOf: null })
  expect(second!.facts.intent!.protocolFeeBps).toBe(50)
  await fetch(`${devnet.controlUrl}/faults/bridge`, { method: 'DELETE' })
  await ended(userId, 2)
})

test('accounts are registered at Alchemy before they can be paid, and their deposits are reported', async () => {
  const { devnet, intend, newUserId, ended, posted, store } = environment
  const userId = newUserId('registered')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const isRegistered = async (note: Note) => {
    const query = `${devnet.alchemyUrl}/webhook-addresses?webhook_id=wh_devnet_base&limit=100`
    const answer = await fetch(query, { headers: { 'x-alchemy-token': devnet.alchemyToken } })
    const { data } = (await answer.json()) as { data: string[] }
    return note(data).includes(depositAddress.toLowerCase())
  }
  await until('the address is registered', isRegistered)
  const hash = await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', deposit: { token: tokenOf(8453, 'USDC')!.address } })
  expect(posted.some(({ body }) => body.includes(hash))).toBe(true)
  // The scanner can be first. The webhook is then noted beside the execution.
  const isReported = async (note: Note) => {
    const sighting = await store.sightings.load(done!.id)
    return note([...done!.deposit.detectedBy, ...(sighting?.detectedBy ?? [])]).includes('WEBHOOK')
  }
  await until('the webhook is noted', isReported)
})

const broken = [
  ['lifi', 'DOWN', 'relay'],
  ['lifi', 'UNREADABLE', 'relay'],
  ['relay', 'REFUSED', 'lifi'],
] as const
testAll(sample('broken providers', broken, 2))(
  'the deposit takes another provider while one fails',
  async (broken, kind, other) => {
    const { devnet, intend, newUserId, ended } = environment
    await healthy()
    await fault(broken, { fault: kind })
    const userId = newUserId('elsewhere')
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    const [done] = await ended(userId, 1)
    await fault(broken, null)
    expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { route: { provider: other } } })
    const outcomes = done!.facts.candidates!.map(({ provider, outcome }) => [provider, outcome])
    expect(Object.fromEntries(outcomes)).toEqual({ [broken]: 'NO_ANSWER', [other]: 'CHOSEN' })
    expect(BigInt(done!.facts.delivery!.amountRaw)).toBe(BigInt(done!.facts.route!.amountOutExpected))
  },
)

const lies = ['UNDERPAY', 'FEE_GRAB', 'NATIVE_FEE']
const amountRaw = 25_000_000n

testAll(sample('falsified offers beside an honest one', lies, 1))(
  'a falsified offer of LI.FI loses to an honest one of Relay, which routes the deposit in full',
  async (lie) => {
    const { devnet, intend, newUserId, ended } = environment
    const userId = newUserId('beside')
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await healthy()
    await fault('lifi', { fault: lie })
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
    const [done] = await ended(userId, 1)
    await fault('lifi', null)
    expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { route: { provider: 'relay' } } })
    expect(done!.facts.candidates!.find(({ provider }) => provider === 'lifi')!.outcome).not.toBe('NOT_BEST')
    expect(BigInt(done!.facts.delivery!.amountRaw) * 100n).toBeGreaterThan(BigInt(done!.facts.route!.amountIn) * 97n)
  },
)

testAll(sample('falsified offers alone', lies, 1))(
  'a falsified offer of LI.FI moves no money without other offers, and the deposit is delivered afterwards',
  async (lie) => {
    const { devnet, intend, newUserId, ended, executionsOf, store } = environment
    const userId = newUserId('alone')
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    await healthy()
    await Promise.all([fault('lifi', { fault: lie }), fault('relay', { fault: 'NO_ROUTE' })])
    const pay = () => devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
    await pay()
    const lane = laneId(depositAddress, 8453, tokenOf(8453, 'USDC')!.address)
    // A provider whose every route is unsignable counts as unavailable, which costs no retry.
    const refused = await until('it is refused', async (note) => {
      const [ended] = await executionsOf(userId)
      if (ended) return ended
      const [waiting] = await store.executions.unspentIn(lane)
      const one = waiting ? await store.executions.load(waiting.id) : null
      return note(one)?.facts.waiting?.for === 'PROVIDER' ? one : null
    })
    expect(refused.retryCount).toBe(0)
    expect(refused.facts.order).toBeUndefined()
    expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(amountRaw)
    await healthy()
    // The next deposit also includes the leftover in the account.
    if (refused.completedAt !== null) {
      expect(refused).toMatchObject({ status: 'FAILED_UNROUTABLE_MAIN', cause: { code: 'ROUTE_OUTSIDE_POLICY' } })
      expect(refused.facts.candidates).toMatchObject([{ provider: 'lifi', outcome: 'OUTSIDE_POLICY' }, {}])
      await pay()
    }
    const done = (await ended(userId, refused.completedAt === null ? 1 : 2)).at(-1)!
    expect(done.status).toBe('SUCCESS')
    expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(0n)
  },
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
  const waiting = await until('it waits', async (note) => {
    const one = await record()
    return note(one)?.facts.waiting?.for === 'WORTH' ? one : null
  })
  expect(waiting).toMatchObject({ retryCount: 0, cause: null, status: null })
  const path = `executions/${encodeURIComponent(waiting.id)}`
  const seen = await ask(keys.client, `deposits/${encodeURIComponent(waiting.id)}`)
  expect(seen.json.next).toMatchObject({ actor: 'OPERATOR', action: 'APPROVE' })
  expect(seen.json.next.message).toMatch(/LI\.FI guarantees [\d.]+ \S+ \(\d+ atomic units\)/)

  const reason = 'It is worth a dollar'
  const tooMuch = { reason, amountOutMin: '99000000' }
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, tooMuch)).status).toBe(202)
  await until('it waits again', async (note) => {
    const one = await record()
    return note(one)?.facts.candidates?.[0]?.reason?.includes('less than an operator approved') ? one : null
  })
  const enough = { reason, amountOutMin: '24000000' }
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, enough)).status).toBe(202)
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { route: { provider: 'lifi' } } })
  expect((await ask(keys.platformOperator, `operator/${path}/approve`, tooMuch)).status).toBe(409)
})

/** Runs the command as an operator would. @returns its output. */
async function imported(list: string, addresses: readonly string[]): Promise<string> {
  const { dir, installation } = environment
  const path = `${dir}/${list}.txt`
  await Bun.write(path, ['# ours', ...addresses, ''].join('\n'))
  const run = Bun.spawn([process.execPath, 'src/cli/main.ts', 'blacklist', 'import', path, '--list', list], {
    cwd: `${import.meta.dir}/../..`,
    env: { ...process.env, MONGODB_URL: installation.mongodbUrlWithDatabase, MONGODB_DATABASE: '' },
    stderr: 'inherit',
  })
  return new Response(run.stdout).text()
}

/** Sends a deposit from an unlisted address. */
async function pay(to: Address, amountRaw: bigint): Promise<void> {
  const rpc = new Rpc(environment.devnet.chains[8453].rpcUrl)
  const token = tokenOf(8453, 'USDC')!.address
  const from = accounts.relaySolver.address
  await rpc.ask('anvil_impersonateAccount', from)
  const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'transfer', args: [to, amountRaw] })
  await rpc.ask('eth_sendTransaction', { from, to: token, data, gas: '0x30d40' })
}

test('an imported security list applies within a second, also to senders', async () => {
  const { devnet, intend, newUserId, ended, store } = environment
  const { faucet } = accounts
  const userId = newUserId('listed')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  expect(await imported('ours', [addressOf(0xbad), faucet.address])).toContain('ours, version 1: 2 added')
  const importedAt = await store.time()
  await until('a second is over', async (note) => note((await store.time()) - importedAt) >= 1_000)
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  const [stopped] = await ended(userId, 1)
  expect(stopped).toMatchObject({ status: 'TOKEN_BLACKLISTED', cause: { code: 'ADDRESS_BLACKLISTED' } })
})

test('a listed route target is dropped within a second, and another provider routes the deposit', async () => {
  const { devnet, intend, newUserId, ended, store } = environment
  const userId = newUserId('target')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  await imported('targets', [devnet.contracts.bridge])
  const importedAt = await store.time()
  await until('a second is over', async (note) => note(await store.time()) - importedAt >= 1_000)
  // The faucet is on the list that the previous test imported.
  await pay(depositAddress, 25_000_000n)
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', facts: { route: { provider: 'relay' } } })
  expect(done!.facts.candidates).toMatchObject([{ provider: 'lifi', outcome: 'NO_ANSWER' }, { provider: 'relay' }])
})
