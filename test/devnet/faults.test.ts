import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { accounts } from '../../src/devnet/chains/accounts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { lifiRules } from '../../src/signer/route-rules'
import { eventually } from '../support/until'
import { getQuote, newAccount, newAddress, route, startWorld, statusOf, type World } from './world'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.end())

const control = (method: string, path: string, body?: unknown) =>
  fetch(`${world.controlUrl}/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })

const asked = (token = 'USDC', fromAddress = newAddress()) => ({
  fromChain: 8453,
  toChain: 42161,
  fromToken: token,
  toToken: 'USDC',
  fromAddress,
  fromAmount: '25000000',
  slippage: '0.01',
})

describe('LI.FI', () => {
  test('promises the minimum that the slippage allows, and names the Diamond', async () => {
    const { status, body } = await getQuote(world, asked())
    expect(status).toBe(200)
    expect(BigInt(body.estimate.toAmountMin)).toBe((BigInt(body.estimate.toAmount) * 99n + 99n) / 100n)
    const { chains } = (await (await fetch(`${world.lifiUrl}/chains`)).json()) as {
      chains: { diamondAddress: string }[]
    }
    expect(chains).toHaveLength(5)
    for (const { diamondAddress } of chains) expect(diamondAddress).toBe(body.transactionRequest.to)
  })

  test('refuses the same requests as the real one', async () => {
    expect(await getQuote(world, asked('SY-NOROUTE'))).toMatchObject({ status: 404, body: { code: 1002 } })
    expect(await getQuote(world, asked('NOSUCH'))).toMatchObject({ status: 404, body: { code: 1003 } })
    expect(await getQuote(world, { ...asked(), fromAmount: '-1' })).toMatchObject({ status: 400, body: { code: 1011 } })
    expect(await getQuote(world, asked('SY-DOWN'))).toMatchObject({ status: 503 })
    const unknown = await fetch(`${world.lifiUrl}/status?txHash=0x${'1'.repeat(64)}`)
    expect(await unknown.json()).toMatchObject({ status: 'NOT_FOUND' })
  })

  test('fails twice for SY-FLAKY in each account, and again once the deposit has left it', async () => {
    const account = newAccount(world)
    const quote = async () => (await getQuote(world, asked('SY-FLAKY', account.address))).status
    expect([await quote(), await quote(), await quote(), await quote()]).toEqual([503, 503, 200, 200])
    const options = { from: 'base', token: 'SY-FLAKY', to: 'polygon', toToken: 'USDC', amount: 9_000_000n } as const
    const { txHash } = await route(world, { ...options, recipient: newAddress() }, account)
    await eventually(
      'a transfer that is DONE',
      () => statusOf(world, txHash),
      (each) => each['status'] === 'DONE',
    )
    expect(await quote()).toBe(503)
  })

  test('shows a fault as often as requested, and then answers properly again', async () => {
    await control('PUT', 'faults/lifi', { fault: 'DOWN', times: 2 })
    const statuses = [await getQuote(world, asked()), await getQuote(world, asked()), await getQuote(world, asked())]
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200])
    await control('PUT', 'faults/lifi', { fault: 'RATE_LIMIT', times: 1 })
    expect((await getQuote(world, asked())).status).toBe(429)
    await control('PUT', 'faults/lifi', { fault: 'GARBAGE', times: 1 })
    await expect(getQuote(world, asked())).rejects.toThrow()
    await control('PUT', 'faults/lifi', { fault: 'UNREADABLE' })
    const { data } = (await getQuote(world, asked())).body.transactionRequest
    expect(lifiRules().some(({ selector }) => data.startsWith(selector))).toBe(false)
    const { status } = (await (await fetch(`${world.lifiUrl}/status?txHash=0x${'1'.repeat(64)}`)).json()) as {
      status: string
    }
    expect(status).toBe('TELEPORTED')
    await control('PUT', 'faults/lifi', { fault: 'REFUSED' })
    expect(await getQuote(world, asked())).toMatchObject({ status: 400, body: { code: 1099 } })
    await control('PUT', 'faults/lifi', { fault: 'NO_PRICE' })
    expect((await getQuote(world, asked())).status).toBe(200)
    expect((await fetch(`${world.lifiUrl}/token?chain=8453&token=USDC`)).status).toBe(404)
    await control('PUT', 'faults/lifi', { fault: 'LOW_OUTPUT' })
    expect(Number((await getQuote(world, asked())).body.estimate.toAmount)).toBeLessThan(20_000_000)
    await control('PUT', 'faults/lifi', { fault: 'UNDERPAY' })
    expect((await getQuote(world, asked())).body.estimate).toMatchObject({ toAmount: '2', toAmountMin: '2' })
    await control('PUT', 'faults/lifi', { fault: 'FEE_GRAB' })
    const { estimate } = (await getQuote(world, asked())).body
    expect(estimate).toMatchObject({ feeCosts: [{ amount: '24999999' }] })
    expect(Number(estimate.toAmountMin)).toBeGreaterThan(24_000_000)
    await control('PUT', 'faults/lifi', { fault: 'NATIVE_FEE' })
    expect(BigInt((await getQuote(world, asked())).body.transactionRequest.value)).toBe(10n ** 18n)
    await control('DELETE', 'faults/lifi')
    expect(await (await control('GET', 'faults')).json()).toEqual({})
  })
})

describe('a limit of quotes', () => {
  const counts = async () => (await (await control('GET', 'limits')).json()) as Record<string, object>
  const query = () => Object.entries(asked()).map(([name, value]) => [name, String(value)])
  const ask = () => fetch(`${world.lifiUrl}/quote?${new URLSearchParams(query())}`)

  test('refuses requests beyond it like the real provider, and shows the remaining number', async () => {
    await control('PUT', 'limits/lifi', { most: 2 })
    const answers = [await ask(), await ask(), await ask()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0'])
    expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await answers[2]!.json()).toEqual({ message: 'Rate limit exceeded', code: 1005 })
    expect(await counts()).toMatchObject({ lifi: { answered: 2, refused: 1, limit: { most: 2, windowMs: 60_000 } } })
    await control('DELETE', 'limits/lifi')
    expect((await ask()).status).toBe(200)
  })

  test('can be left out of the headers, as at Relay, and restarts with each window', async () => {
    await control('PUT', 'limits/relay', { most: 1, windowMs: 50, isTold: false })
    const body = '{}'
    const quote = () => fetch(`${world.relayUrl}/quote/v2`, { method: 'POST', body })
    const answers = [await quote(), await quote()]
    expect(answers.map(({ status }) => status)).toEqual([400, 429])
    expect(answers[0]!.headers.get('ratelimit-limit')).toBeNull()
    expect(await answers[1]!.json()).toEqual({ message: 'Too many requests' })
    await eventually(
      'a request within the limit',
      async () => (await quote()).status,
      (status) => status === 400,
    )
    await control('DELETE', 'limits/relay')
    expect((await control('PUT', 'limits/across', { most: 1 })).status).toBe(404)
    expect((await control('PUT', 'limits/relay', { most: 0 })).status).toBe(400)
  })
})

describe('a node', () => {
  test('shows a fault to the service only', async () => {
    const node = new Rpc(world.chains[1].rpcUrl)
    await control('PUT', 'faults/rpc:ethereum', { fault: 'DOWN', times: 1 })
    await expect(node.ask('eth_chainId')).rejects.toThrow()
    await control('PUT', 'faults/rpc:ethereum', { fault: 'GARBAGE' })
    await expect(node.ask('eth_chainId')).rejects.toThrow()
    await control('PUT', 'faults/rpc:ethereum', { fault: 'RATE_LIMIT' })
    expect((await fetch(world.chains[1].rpcUrl, { method: 'POST', body: '{}' })).status).toBe(429)
    const hash = await world.sendDeposit({ chainKey: 'ethereum', token: 'USDC', amountRaw: 1n, to: newAddress() })
    expect((await world.waitForReceipt('ethereum', hash)).status).toBe('0x1')
    await control('PUT', 'faults/rpc:ethereum', { fault: 'DELEGATED' })
    const [relayer] = accounts.relayers
    const nonce = Number(await node.ask('eth_getTransactionCount', relayer!.address, 'latest'))
    const gapped = await relayer!.signTransaction({ chainId: 1, nonce: nonce + 1, gas: 21_000n, maxFeePerGas: 1n })
    await expect(node.ask('eth_sendRawTransaction', gapped)).rejects.toThrow('delegated accounts')
    expect(await node.ask('eth_getCode', relayer!.address, 'latest')).toStartWith('0xef0100')
    await control('DELETE', 'faults/rpc:ethereum')
    expect(await node.ask('eth_chainId')).toBe('0x1')
  })
})

test('a stopped chain accepts no transaction, however many parts the request has', async () => {
  await control('PUT', 'chains/avalanche', { mining: false })
  const body = JSON.stringify({ id: 1, method: 'eth_sendRawTransaction', params: ['0x'] })
  const { port } = new URL(world.chains[43114].rpcUrl)
  const socket = connect(Number(port), '127.0.0.1').setNoDelay(true)
  const answered = once(socket, 'data')
  for (const part of [`POST / HTTP/1.1\r\ncontent-length: ${body.length}\r\n\r\n`, body.slice(0, 20), body.slice(20)])
    await new Promise<void>((written) => socket.write(part, () => setImmediate(written)))
  expect(String(await answered)).toStartWith('HTTP/1.1 503')
  socket.destroy()
  await control('PUT', 'chains/avalanche', { mining: true })
})

describe('the controls', () => {
  test('list the eleven outcomes', async () => {
    const list = (await (await control('GET', 'outcomes')).json()) as unknown[]
    expect(list).toHaveLength(11)
  })

  test('send a deposit and stop its chain for PENDING, and the next deposit starts the chain again', async () => {
    const depositAddress = newAddress()
    const pending = await control('POST', 'deposits', { depositAddress, fromChainKey: 'polygon', outcome: 'PENDING' })
    expect(pending.status).toBe(201)
    expect(await world.balanceOf('polygon', 'USDC', depositAddress)).toBe(25_000_000n)
    const stopped = await (await control('PUT', 'chains/polygon', { mining: false })).json()
    expect(stopped).toMatchObject({ chainKey: 'polygon', mining: false })
    const plain = { depositAddress, fromChainKey: 'polygon', fromTokenSymbol: 'USDC', amountIn: '5' }
    const { depositTxHash } = (await (await control('POST', 'deposits', plain)).json()) as {
      depositTxHash: `0x${string}`
    }
    expect((await world.waitForReceipt('polygon', depositTxHash)).status).toBe('0x1')
  })

  test('reorganize a deposit away', async () => {
    const to = newAddress()
    const hash = await world.sendDeposit({ chainKey: 'avalanche', token: 'USDC', amountRaw: 3n, to })
    await world.waitForReceipt('avalanche', hash)
    await control('PUT', 'chains/avalanche', { reorgDepth: 3 })
    expect(await world.balanceOf('avalanche', 'USDC', to)).toBe(0n)
    const again = await world.sendDeposit({ chainKey: 'avalanche', token: 'USDC', amountRaw: 3n, to })
    expect((await world.waitForReceipt('avalanche', again)).status).toBe('0x1')
  })

  test('repeat a payment that was reorganized away', async () => {
    const recipient = newAddress()
    const options = {
      from: 'base',
      token: 'USDC',
      to: 'arbitrum',
      toToken: 'USDC',
      amount: 8_000_000n,
      recipient,
    } as const
    const { promised, txHash } = await route(world, options)
    await eventually(
      'a transfer that is DONE',
      () => statusOf(world, txHash),
      (each) => each['status'] === 'DONE',
    )
    await control('PUT', 'chains/arbitrum', { reorgDepth: 8 })
    await eventually(
      'the promised balance of the recipient',
      () => world.balanceOf('arbitrum', 'USDC', recipient),
      (balance) => balance === promised,
    )
  })

  test('refuse unknown targets, chains and faults', async () => {
    expect((await control('PUT', 'faults/nobody', { fault: 'DOWN' })).status).toBe(404)
    expect((await control('PUT', 'faults/lifi', { fault: 'ON_FIRE' })).status).toBe(400)
    expect((await control('PUT', 'faults/lifi', { fault: 'DOWN', times: 0 })).status).toBe(400)
    expect((await control('PUT', 'chains/solana', { mining: true })).status).toBe(404)
    expect((await control('POST', 'deposits', { fromChainKey: 'base' })).status).toBe(400)
    expect((await control('GET', 'nothing')).status).toBe(404)
  })
})
