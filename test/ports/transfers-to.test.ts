import { afterAll, describe, expect, test } from 'bun:test'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { sendDeposit } from '../../src/devnet/chains/faucet'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import type { ChainClient } from '../../src/ports/chain-client'
import { asChain, DetectionChain } from '../support/detection-chain'
import { oneChain } from '../support/one-chain'
import { newAddress } from '../support/order-world'

const { id: chainId } = chains.base
type Paid = { hash: Hash; block: number }
/** Sends an amount of a token. Resolves when it is mined. */
type World = { chain: ChainClient; pay: (symbol: string, amountRaw: bigint, to: Address) => Promise<Paid> }
const addressOf = (symbol: string): Address => tokenOf(chainId, symbol)!.address

function inMemory(): World {
  const chain = new DetectionChain(chainId, 2)
  return {
    chain: asChain(chain),
    async pay(symbol, amountRaw, to) {
      const [hash] = chain.mine({ paid: [{ token: addressOf(symbol), amountRaw, to }] })
      return { hash: hash!, block: chain.tip.number }
    },
  }
}

const real = await oneChain()
afterAll(() => real.chain.stop())

function onAnvil(): World {
  const { chain, url, variables } = real
  const contracts = {
    registry: variables['ACCOUNT_REGISTRY_ADDRESS'] as Address,
    executor: variables['ROUTE_EXECUTOR_ADDRESS'] as Address,
    lens: variables['BALANCE_LENS_ADDRESS'] as Address,
  }
  return {
    chain: evmChain({ now: Date.now, chainId, rpcUrls: [url], confirmations: 2, ...contracts }),
    async pay(token, amountRaw, to) {
      const hash = await sendDeposit(chain, { chainKey: 'base', token, amountRaw, to })
      const { blockNumber } = await chain.receiptOf(hash)
      return { hash, block: Number(blockNumber) }
    },
  }
}

const sorts: [string, () => World][] = [
  ['in memory', inMemory],
  ['on a real chain', onAnvil],
]
describe.each(sorts)('transfers to recipients, %s', (_sort, made) => {
  const { chain, pay } = made()

  test('cover any token and only the named recipients, in the same form as `transfers`', async () => {
    const [one, other, stranger] = [newAddress(), newAddress(), newAddress()]
    const first = await pay('SY-UNLISTED', 7n, one)
    await pay('SY-UNLISTED', 8n, stranger)
    await pay('SY-WEIRD', 9n, other)
    const last = await pay('USDC', 10n, one)

    const found = await chain.transfersTo([one, other], first.block, last.block)
    expect(found.map(({ token, to, amountRaw }) => [token, to, amountRaw])).toEqual([
      [addressOf('SY-UNLISTED'), one, 7n],
      [addressOf('SY-WEIRD'), other, 9n],
      [addressOf('USDC'), one, 10n],
    ])
    expect(found[0]).toMatchObject({ txHash: first.hash, block: first.block })
    const listed = await chain.transfers([addressOf('USDC')], last.block, last.block)
    expect(found.at(-1)).toEqual(listed.find(({ txHash }) => txHash === last.hash)!)
    expect(found[0]).toEqual((await chain.transaction(first.hash))!.transfers[0]!)
  })

  test('are found for any spelling of an address, and for a thousand accounts in one query', async () => {
    const accounts = Array.from({ length: 1_000 }, newAddress)
    const to = accounts[999]!
    const { hash, block } = await pay('SY-UNLISTED', 1n, to)
    for (const asked of [accounts, accounts.map((each) => each.toLowerCase() as Address)])
      expect(await chain.transfersTo(asked, block, block)).toMatchObject([{ txHash: hash, to, amountRaw: 1n }])
  })

  test('cover the named blocks including both ends, and are empty for no recipients or no blocks', async () => {
    const to = newAddress()
    const first = await pay('SY-UNLISTED', 1n, to)
    const last = await pay('SY-UNLISTED', 2n, to)
    const amounts = async (from: number, until: number, whom = [to]) =>
      (await chain.transfersTo(whom, from, until)).map(({ amountRaw }) => amountRaw)

    expect(await amounts(first.block, last.block)).toEqual([1n, 2n])
    expect(await amounts(first.block + 1, last.block)).toEqual([2n])
    expect(await amounts(first.block, last.block - 1)).toEqual([1n])
    expect(await amounts(last.block, first.block)).toEqual([])
    expect(await amounts(first.block, last.block, [])).toEqual([])
  })
})
