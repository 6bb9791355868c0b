import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { encodeFunctionData, type Hex, keccak256, parseAbi, parseEventLogs, parseTransaction, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { accountRegistryAbi } from '../../contracts/artifacts/abi'
import { accounts, circleFeeRecipient } from '../../src/devnet/chains/accounts'
import { ChainSender } from '../../src/devnet/chains/chain-sender'
import { ChainWatch } from '../../src/devnet/chains/chain-watch'
import { tokenOf, tokens } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { pinnedTokens } from '../../src/domain/money/token'
import {
  type Burn,
  depositForBurn,
  domainOf,
  finality,
  messageTransmitter,
  messageTransmitterAbi,
  tokenMessenger,
  wordOf,
} from '../../src/protocols/cctp/burn'
import { isMessageOf, messageOf, readMessage } from '../../src/protocols/cctp/message'
import { receiveMessage } from '../../src/protocols/cctp/mint'
import { swapRules } from '../../src/signer/swap-facet'
import { acrossCall, fee } from '../support/diamond-calldata'
import { jsonRpcNode } from '../support/json-rpc-node'
import { testAll } from '../support/test-all'
import { eventually, until } from '../support/until'
import { execute, getQuote, newAccount, newAddress, relay, route, startWorld, statusOf, type World } from './world'

/** A chain in time of its own, such as one moved by a test, is further ahead. */
const aheadMaxSeconds = 60

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.end())

const nodeOf = (key: ChainKey) => new Rpc(world.chains[chains[key].id].rpcUrl)

describe('the chains', () => {
  test('have the real chain ids and the same contracts at the same addresses', async () => {
    const { registry, executor, lens, bridge, guards } = world.contracts
    const found = await Promise.all(
      chainKeys.map(async (key) => {
        const node = nodeOf(key)
        expect(Number(await node.ask('eth_chainId'))).toBe(chains[key].id)
        const addresses = [registry, executor, lens, bridge, ...Object.values(guards)]
        return Promise.all(addresses.map((address) => node.ask('eth_getCode', address, 'latest')))
      }),
    )
    for (const code of found[0]!) expect(code.length).toBeGreaterThan(100)
    // The executor has the chain id in its code. All other code is equal on every chain.
    for (const codes of found) expect(codes.toSpliced(1, 1)).toEqual(found[0]!.toSpliced(1, 1))
  })

  test('have the executor installed, and run in real time', async () => {
    const data = encodeFunctionData({
      abi: accountRegistryAbi,
      functionName: 'isExecutor',
      args: [world.contracts.executor],
    })
    for (const key of chainKeys) {
      const answer = await nodeOf(key).ask('eth_call', { to: world.contracts.registry, data }, 'latest')
      expect(BigInt(answer)).toBe(1n)
      const from = Math.floor(Date.now() / 1_000)
      const time = await until(`a block of ${key} at ${from} or later`, async (note) => {
        const { timestamp } = await nodeOf(key).ask<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
        return note(Number(timestamp)) >= from && Number(timestamp)
      })
      expect(time).toBeLessThan(Date.now() / 1_000 + aheadMaxSeconds)
    }
  })

  test('give the faucet a million of every token and of the native coin', async () => {
    const faucet = accounts.faucet.address
    for (const { chainId, symbol, decimals } of tokens.filter(({ decimals }) => decimals < 70)) {
      const key = chainKeys.find((each) => chains[each].id === chainId)!
      expect(await world.balanceOf(key, symbol, faucet)).toBe(1_000_000n * 10n ** BigInt(decimals))
    }
    for (const key of chainKeys) {
      expect(await world.balanceOf(key, 'native', faucet)).toBeGreaterThanOrEqual(1_000_000n * 10n ** 18n)
    }
  })

  test('have their tokens in a list in the format of tokenlists.org', () => {
    const list = JSON.parse(readFileSync(world.tokenListPath, 'utf8'))
    expect(list.tokens).toContainEqual({
      chainId: 8453,
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
    })
  })
})

describe('a route', () => {
  test('over the bridge is filled on the destination chain, and LI.FI reports it', async () => {
    const recipient = newAddress()
    const options = {
      from: 'base',
      token: 'USDC',
      to: 'arbitrum',
      toToken: 'USDC',
      amount: 25_000_000n,
      recipient,
    } as const
    const { account, txHash, receipt, promised, fee } = await route(world, options)
    expect(receipt.status).toBe('0x1')
    const status = await eventually(
      'a transfer that is DONE',
      () => statusOf(world, txHash),
      (each) => each['status'] === 'DONE',
    )
    expect(status['substatus']).toBe('COMPLETED')
    expect(status.receiving.amount).toBe(`${promised}`)
    expect(await world.balanceOf('arbitrum', 'USDC', recipient)).toBe(promised)
    expect(await world.balanceOf('base', 'USDC', account)).toBe(0n)
    expect(await world.balanceOf('base', 'USDC', world.keys.collector)).toBe(fee)
  })

  testAll(['across', 'stargateV2', 'stargateV2Bus', 'polymerStandard'])(
    'over each bridge delivers what its quote promises',
    async (via) => {
      const recipient = newAddress()
      const there = { from: 'base', token: 'USDC', to: 'arbitrum', toToken: 'USDC', recipient, via } as const
      // LI.FI takes no fee from so small an amount, so the facet's plain function is called.
      const [most, least] = [
        await route(world, { ...there, amount: 25_000_000n }),
        await route(world, { ...there, amount: 900n }),
      ]
      for (const { receipt, txHash } of [most, least]) {
        expect(receipt.status).toBe('0x1')
        const done = await eventually(
          'a transfer that is DONE',
          () => statusOf(world, txHash),
          (each) => each['status'] === 'DONE',
        )
        expect([done['substatus'], done['tool']]).toEqual(['COMPLETED', via])
      }
      expect(await world.balanceOf('arbitrum', 'USDC', recipient)).toBe(most.promised + least.promised)
    },
  )

  test('of USDC burned by Circle’s bridge is minted once on the other chain, by any caller', async () => {
    const [recipient, account] = [newAddress(), newAccount(world)]
    const [amountIn, maxFee, feeExecuted] = [25_000_000n, 2_500n, 2_000n]
    const [token, tokenOut] = [tokenOf(8453, 'USDC')!.address, tokenOf(42161, 'USDC')!.address]
    const deposit = { chainKey: 'base', token: 'USDC', amountRaw: amountIn, to: account.address } as const
    await world.waitForReceipt('base', await world.sendDeposit(deposit))
    const burn: Burn = {
      amount: amountIn,
      destinationDomain: domainOf(42161),
      mintRecipient: wordOf(recipient),
      burnToken: token,
      destinationCaller: `0x${'0'.repeat(64)}`,
      maxFee,
      minFinalityThreshold: finality.fast,
    }
    const { receipt } = await execute(world, 'base', {
      ...{ accountSalt: account.accountSalt, kind: 3, token, amountIn, protocolFee: 0n, nativeFee: 0n },
      intent: { toChainId: 42161n, tokenOut, recipient, minOut: amountIn - maxFee },
      ...{ target: tokenMessenger, spender: tokenMessenger, data: depositForBurn(burn) },
    })
    expect(receipt.status).toBe('0x1')
    const [sent] = parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageSent', logs: receipt.logs as never })
    const raw = readMessage(sent!.args.message)!
    const nonce = keccak256(sent!.args.message)
    const attested = { ...raw, nonce, feeExecuted, finalityThresholdExecuted: finality.fast }
    expect(isMessageOf(attested, burn, { account: account.address, chainId: 8453 })).toBe(true)
    const message = messageOf(attested)
    const mint = receiveMessage(message, await accounts.cctpAttester.sign({ hash: keccak256(message) }))
    for (const status of ['0x1', '0x0']) {
      const hash = await relay(world, 'arbitrum', messageTransmitter, mint)
      expect((await world.waitForReceipt('arbitrum', hash)).status).toBe(status as Hex)
    }
    expect(await world.balanceOf('arbitrum', 'USDC', recipient)).toBe(amountIn - feeExecuted)
    expect(await world.balanceOf('arbitrum', 'USDC', circleFeeRecipient)).toBe(feeExecuted)
    expect(await world.balanceOf('base', 'USDC', account.address)).toBe(0n)
  })

  test('is offered only by bridges that the request allows', async () => {
    const [fromToken, toToken] = [tokenOf(8453, 'SY-HOLD')!.address, tokenOf(42161, 'USDC')!.address]
    const asked = {
      fromChain: 8453,
      toChain: 42161,
      fromToken,
      toToken,
      fromAddress: newAddress(),
      fromAmount: 900_000,
    }
    for (const lists of [{ allowBridges: 'none' }, { allowBridges: 'polymerStandard' }, { denyBridges: 'across' }])
      expect((await getQuote(world, { ...asked, ...lists })).body.code).toBe(1002)
    expect((await getQuote(world, asked)).status).toBe(200)
  })

  test('sells and buys native coin', async () => {
    const recipient = newAddress()
    const options = { from: 'polygon', token: 'native', to: 'avalanche', toToken: 'native', recipient } as const
    const { receipt, promised } = await route(world, { ...options, amount: 10n ** 18n })
    expect(receipt.status).toBe('0x1')
    await eventually(
      'the promised balance of the recipient',
      () => world.balanceOf('avalanche', 'native', recipient),
      (balance) => balance === promised,
    )
  })

  test('swaps on one chain a token whose functions return nothing', async () => {
    const recipient = newAddress()
    const options = { from: 'ethereum', token: 'USDT', to: 'ethereum', toToken: 'WETH', recipient } as const
    const { receipt, promised, txHash } = await route(world, { ...options, amount: 30_000_000n })
    expect(receipt.status).toBe('0x1')
    expect(await world.balanceOf('ethereum', 'WETH', recipient)).toBe(promised)
    expect((await statusOf(world, txHash))['substatus']).toBe('COMPLETED')
  })

  test('is a swap if the deposit stays on its chain, for any two tokens', async () => {
    const swaps = new Set<string>(swapRules.map(({ selector }) => selector))
    const addresses = { fromAddress: newAddress(), toAddress: newAddress() }
    for (const { id } of Object.values(chains)) {
      const there = [zeroAddress, ...pinnedTokens.filter(({ chainId }) => chainId === id).map(({ address }) => address)]
      const pairs = there.flatMap((fromToken) => there.map((toToken) => ({ fromToken, toToken })))
      for (const pair of pairs.filter(({ fromToken, toToken }) => fromToken !== toToken)) {
        const asked = { fromChain: id, toChain: id, ...pair, ...addresses, fromAmount: `${10n ** 18n}` }
        const { status, body } = await getQuote(world, asked)
        expect([id, pair, status]).toEqual([id, pair, 200])
        expect(swaps, JSON.stringify(pair)).toContain(body.transactionRequest.data.slice(0, 10))
      }
    }
  })

  test('of SY-REVERT reverts, of SY-PARTIAL delivers another token, and of SY-REFUND is refunded', async () => {
    const to = { to: 'polygon', toToken: 'USDC', amount: 5_000_000n } as const
    const run = (token: string) => route(world, { from: 'base', token, ...to, recipient: newAddress() })
    expect((await run('SY-REVERT')).receipt.status).toBe('0x0')
    const substatus = async (token: string) => {
      const { txHash } = await run(token)
      const done = await eventually(
        'a transfer that is DONE',
        () => statusOf(world, txHash),
        (each) => each['status'] === 'DONE',
      )
      return done['substatus']
    }
    expect(await substatus('SY-PARTIAL')).toBe('PARTIAL')
    expect(await substatus('SY-REFUND')).toBe('REFUNDED')
  })

  test('that asks for more than it brings is not filled, and the bridged amount returns', async () => {
    const thief = newAddress()
    const [amount, minOut] = [10n ** 18n, 99n * 10n ** 16n]
    const distributions = [{ recipient: thief, amount: amount - 1n }]
    const callData = encodeFunctionData({
      abi: parseAbi(['function forwardNativeFees((address recipient, uint256 amount)[] distributions) payable']),
      args: [distributions],
    })
    const swap = fee(zeroAddress, amount, { callTo: world.contracts.bridge, callData })
    const time = Math.floor(Date.now() / 1000)
    const sender = privateKeyToAccount(world.keys.relayers[0]!)
    const data = acrossCall({
      account: sender.address,
      token: zeroAddress,
      amount,
      toChainId: chains.arbitrum.id,
      minOut,
      time,
      tokenOut: tokenOf(chains.arbitrum.id, 'WETH')!.address,
      recipient: newAddress(),
      fee: amount - 1n,
      swaps: [swap],
      facet: { outputAmountMultiplier: minOut * 10n ** 18n },
    })
    const node = nodeOf('base')
    const nonce = Number(await node.ask('eth_getTransactionCount', sender.address, 'pending'))
    const fees = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n, gas: 900_000n }
    const call = { ...fees, nonce, data, value: amount, to: world.contracts.bridge, chainId: chains.base.id }
    const hash = await node.ask<Hex>('eth_sendRawTransaction', await sender.signTransaction(call))
    await world.waitForReceipt('base', hash)
    const done = await eventually(
      'a transfer that is DONE',
      () => statusOf(world, hash),
      (each) => each['status'] === 'DONE',
    )
    expect(done['substatus']).toBe('REFUNDED')
    expect(await world.balanceOf('base', 'native', thief)).toBe(amount - 1n)
  })

  test('of SY-HOLD waits until the bridge releases it', async () => {
    const recipient = newAddress()
    const options = {
      from: 'arbitrum',
      token: 'SY-HOLD',
      to: 'base',
      toToken: 'USDC',
      amount: 5_000_000n,
      recipient,
    } as const
    const { txHash, promised } = await route(world, options)
    const plain = await route(world, { ...options, token: 'USDC', recipient: newAddress() })
    await eventually(
      'a transfer that is DONE',
      () => statusOf(world, plain.txHash),
      (each) => each['status'] === 'DONE',
    )
    expect((await statusOf(world, txHash))['substatus']).toBe('WAIT_DESTINATION_TRANSACTION')
    await fetch(`${world.controlUrl}/faults/bridge`, { method: 'DELETE' })
    await eventually(
      'the promised balance of the recipient',
      () => world.balanceOf('base', 'USDC', recipient),
      (balance) => balance === promised,
    )
  })
})

describe('deposits', () => {
  test('that are sent at the same time all arrive, with consecutive nonces', async () => {
    const to = newAddress()
    const send = () => world.sendDeposit({ chainKey: 'avalanche', token: 'USDC', amountRaw: 7n, to })
    const hashes = await Promise.all(Array.from({ length: 200 }, send))
    expect(new Set(hashes).size).toBe(200)
    for (const hash of hashes) expect((await world.waitForReceipt('avalanche', hash)).status).toBe('0x1')
    expect(await world.balanceOf('avalanche', 'USDC', to)).toBe(1400n)
  })

  test('that the node drops after it has accepted them are sent again, and later ones do not take their place', async () => {
    const node = nodeOf('polygon')
    const recipients = [newAddress(), newAddress()]
    const send = (to: Address) => world.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw: 7n, to })
    const mine = (mining: boolean) =>
      fetch(`${world.controlUrl}/chains/polygon`, { method: 'PUT', body: JSON.stringify({ mining }) })
    await mine(false)
    const dropped = await send(recipients[0]!)
    await node.ask('anvil_dropTransaction', dropped)
    await send(recipients[1]!)
    await mine(true)
    for (const to of recipients)
      await until(`the deposit to ${to}`, async (note) => note(await world.balanceOf('polygon', 'USDC', to)) === 7n)
  })

  test('that a reorganization removes while they are sent leave their nonce to the next', async () => {
    const producer = { reorganizations: 0 }
    const nonces: (number | undefined)[] = []
    const node = jsonRpcNode(({ method, params }) => {
      if (method !== 'eth_sendRawTransaction') return { result: '0x0' }
      const bytes = params[0] as Hex
      nonces.push(parseTransaction(bytes).nonce)
      producer.reorganizations++
      return { result: keccak256(bytes) }
    })
    const rpc = new Rpc(node.url)
    const sender = new ChainSender({ rpc, id: 1, watch: new ChainWatch(rpc, () => {}), producer }, accounts.faucet)
    const send = () => sender.send({ to: newAddress(), gas: 21_000n })
    await send()
    await send()
    await node.stop()
    expect(nonces.map((nonce) => nonce ?? 0)).toEqual([0, 0])
  })

  test('of SY-GHOST emit a transfer and move nothing', async () => {
    const to = newAddress()
    const hash = await world.sendDeposit({ chainKey: 'base', token: 'SY-GHOST', amountRaw: 5n, to })
    expect((await world.waitForReceipt('base', hash)).logs).toHaveLength(1)
    expect(await world.balanceOf('base', 'SY-GHOST', to)).toBe(0n)
  })
})

test('the service’s environment names every chain, and variables that are already set win', () => {
  const env = world.serviceEnv()
  for (const key of chainKeys) expect(env[`RPC_URL_${key.toUpperCase()}`]).toStartWith('http://127.0.0.1:')
  process.env['LIFI_URL'] = 'http://elsewhere/v1'
  expect(world.serviceEnv()['LIFI_URL']).toBe('http://elsewhere/v1')
  delete process.env['LIFI_URL']
  expect(env['ROUTE_EXECUTOR_ADDRESS']).not.toBe(zeroAddress)
})
