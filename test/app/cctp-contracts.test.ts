import { expect, test } from 'bun:test'
import { decodeFunctionData, encodeFunctionResult, toFunctionSelector } from 'viem/utils'
import { feedAbi, multicall3 } from '../../src/adapters/evm/feeds/feed-abi'
import type { Ask } from '../../src/adapters/evm/rpc/json-rpc'
import { circleContracts } from '../../src/app/doctor/contracts'
import type { Hex } from '../../src/domain/chain/hex'
import { messageTransmitter, tokenMessenger, tokenMinter, wordOf } from '../../src/protocols/cctp/burn'
import { testAll } from '../support/test-all'

const wordOfNumber = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const selector = (name: string) => toFunctionSelector(`function ${name}()`)

/** A node of Base with Circle's contracts, where a test can change one thing. */
const nodeOf =
  (change: Record<string, unknown> = {}): Ask =>
  async (method, params) => {
    const [first] = params as [{ to: string; data: Hex } | string]
    const answers: Record<string, unknown> = {
      [tokenMessenger]: '0x60',
      [messageTransmitter]: '0x60',
      [tokenMinter]: '0x60',
      [selector('localMessageTransmitter')]: wordOf(messageTransmitter),
      [selector('localMinter')]: wordOf(tokenMinter),
      [selector('localDomain')]: wordOfNumber(6),
      [selector('version')]: wordOfNumber(1),
      [selector('paused')]: wordOfNumber(0),
      ...change,
    }
    if (typeof first !== 'string' && first.to === multicall3) {
      const [calls] = decodeFunctionData({ abi: feedAbi, data: first.data }).args as unknown as [{ callData: Hex }[]]
      const results = calls.map(({ callData }) => {
        const returnData = (answers[callData] ?? wordOfNumber(1)) as Hex
        return { success: returnData !== '0x', returnData }
      })
      return encodeFunctionResult({ abi: feedAbi, functionName: 'aggregate3', result: results }) as never
    }
    const answer = answers[typeof first === 'string' ? first : first.data]
    if (answer instanceof Error) throw answer
    return (method === 'eth_getCode' || method === 'eth_call' ? answer : null) as never
  }

const verdictOf = async (change?: Record<string, unknown>) => {
  const [finding] = await circleContracts('base', nodeOf(change))
  return [finding!.verdict, finding!.sentence]
}

test('the doctor accepts Circle’s contracts if they exist, belong together and name this chain', async () => {
  expect(await verdictOf()).toEqual(['GOOD', 'Circle’s CCTP contracts are the expected ones.'])
})

testAll([
  ['no TokenMessenger', { [tokenMessenger]: '0x' }, 'missing'],
  ['no MessageTransmitter', { [messageTransmitter]: '0x' }, 'missing'],
  [
    'another MessageTransmitter',
    { [selector('localMessageTransmitter')]: wordOf(tokenMessenger) },
    'an unexpected contract',
  ],
  ['no TokenMinter', { [tokenMinter]: '0x' }, 'missing'],
  [
    'another TokenMinter',
    { [selector('localMinter')]: wordOf(tokenMessenger) },
    'mints through an unexpected contract',
  ],
  ['no answer whether all stands still', { [selector('paused')]: '0x' }, 'which addresses they block'],
  ['no answer about it', { [selector('localMessageTransmitter')]: '0x' }, 'an unexpected contract'],
  ['another number', { [selector('localDomain')]: wordOfNumber(7) }, 'is not 6'],
  ['another version', { [selector('version')]: wordOfNumber(2) }, 'another version'],
])('each fault is reported', async (_what, change, said) => {
  expect(await verdictOf(change)).toEqual(['BAD', expect.stringContaining(said)])
})

test('a pause by Circle is reported but is no fault of the installation', async () => {
  expect(await verdictOf({ [selector('paused')]: wordOfNumber(1) })).toEqual([
    'UNKNOWN',
    expect.stringContaining('paused'),
  ])
})

test('an unresponsive node proves nothing about the contracts', async () => {
  expect(await verdictOf({ [selector('localDomain')]: new Error('timeout') })).toEqual(['UNKNOWN', expect.any(String)])
})
