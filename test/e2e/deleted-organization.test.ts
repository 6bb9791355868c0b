import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { chains } from '../../src/domain/chain/chain'
import type { Hex } from '../../src/domain/chain/hex'
import { type Environment, startEnvironment } from '../support/environment'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
})
afterAll(() => environment?.stop())

const main = join(import.meta.dir, '../../src/cli/main.ts')
const recipient = `0x${'5e'.repeat(20)}` as const

type Sent = { key?: string; cookie?: string; body?: object }
async function ask(path: string, { key, cookie, body }: Sent) {
  const { apiUrl } = environment.installation
  const headers = {
    'content-type': 'application/json',
    ...(key && { 'x-api-key': key }),
    ...(cookie && { cookie, origin: apiUrl, 'x-organization-id': 'org_sandbox' }),
  }
  const sent = { method: body ? 'POST' : 'GET', headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(`${apiUrl}${path}`, sent)
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
}

async function signIn(): Promise<string> {
  const { apiUrl, dashboard } = environment.installation
  const { email, password } = dashboard
  const headers = { 'content-type': 'application/json', origin: apiUrl }
  const body = JSON.stringify({ email, password })
  const response = await fetch(`${apiUrl}/app/auth/sign-in/email`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** Creates a key of an organization without members by its id, as the page of operations describes. */
async function keyByCommand(organizationId: string): Promise<string> {
  const env = { ...process.env, MONGODB_URL: environment.installation.mongodbUrlWithDatabase }
  const command = [process.execPath, main, 'keys', 'create', '--organization', organizationId]
  const run = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' })
  const [text, trouble] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  expect([await run.exited, trouble]).toEqual([0, expect.stringContaining('CLIENT key')])
  return text.trim()
}

/** A deposit for a user without an intent, which therefore waits. */
async function waiting(userId: string) {
  const { installation, devnet } = environment
  const made = await ask('/api/accounts', {
    key: installation.keys.client,
    body: { ownerAddress: userId, chainKey: 'base' },
  })
  const to = made.json.modularAccountAddress as Hex
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to })
  return until('the deposit waits for an intent', async (note) => {
    const { json } = await ask(`/api/users/${userId}/deposits`, { key: installation.keys.client })
    return note(json)[0]?.stage === 'WAITING_FOR_INTENT' ? (json[0] as { id: string }) : null
  })
}

test('a deleted organization’s deposit is delivered after an operator ends it, names a recipient and re-drives it', async () => {
  const { installation, clients, connection } = environment
  const { client, platformOperator: platform } = installation.keys
  const deposit = await waiting('left-1')
  const cookie = await signIn()
  const { left } = (await ask('/app/api/organization/deletion', { cookie })).json
  expect(left).toMatchObject({ count: 1, deposits: [{ id: deposit.id, next: { action: 'CREATE_INTENT' } }] })
  const remove = (more: object) =>
    ask('/app/api/organization/delete', { cookie, body: { confirm: 'sandbox', ...more } })
  expect(await remove({})).toMatchObject({ status: 409, json: { message: expect.stringContaining(deposit.id) } })
  expect((await remove({ handsOver: left.count })).status).toBe(204)

  await until(
    'its keys are refused',
    async (note) => note(await ask('/api/executions', { key: client })).status === 401,
  )
  const gone = await connection.db!.collection<{ _id: string }>('organizations').findOne({ _id: 'org_sandbox' })
  expect(gone).toMatchObject({ name: 'Removed', slug: 'org-sandbox' })

  const verb = (name: string, body: object = {}) =>
    ask(`/api/operator/executions/${deposit.id}/${name}`, { key: platform, body: { reason: 'It was left', ...body } })
  expect((await verb('dead-letter')).json).toMatchObject({ status: 'DEAD_LETTER', organizationId: 'org_sandbox' })
  expect((await verb('redrive', { intent: 'CURRENT' })).headers.get('x-error-code')).toBe('NO_DEPOSIT_INTENT')

  const key = await until('the deletion is done, and a key made after it stays', async (note) => {
    const made = await keyByCommand('org_sandbox')
    return note(await ask('/api/executions', { key: made })).status === 200 ? made : null
  })
  const { address } = tokenOf(chains.arbitrum.id, 'USDC')!
  const target = { targetChainId: chains.arbitrum.id, targetTokenAddress: address, targetAddress: recipient }
  expect((await ask('/api/deposit-intents', { key, body: { userId: 'left-1', ...target } })).status).toBe(201)
  const driven = await verb('redrive', { intent: 'CURRENT' })
  expect(driven.status).toBe(202)
  await until('it is delivered', async (note) => {
    const { json } = await ask(`/api/executions/${driven.json.id}`, { key: platform })
    return note(json)?.status === 'SUCCESS'
  })
  const balance = { address, abi: erc20, functionName: 'balanceOf', args: [recipient] } as const
  expect(await clients.arbitrum.readContract(balance)).toBeGreaterThan(23_000_000n)
})

const erc20 = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
] as const
