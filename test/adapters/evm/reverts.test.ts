import { expect, test } from 'bun:test'
import type { AbiParameter } from 'viem'
import { encodeErrorResult, toFunctionSelector } from 'viem/utils'
import { recoveryExecutorAbi, routeExecutorAbi } from '../../../contracts/artifacts/abi'
import { estimate } from '../../../src/adapters/evm/estimate'
import { isWithoutCap, revertError } from '../../../src/adapters/evm/rpc/error'
import { type Ask, RpcRefusal } from '../../../src/adapters/evm/rpc/json-rpc'
import { isOurRefusal, responsibleFor } from '../../../src/domain/chain/contract-refusals'
import type { Hex } from '../../../src/domain/chain/hex'
import { errorRow, RoutingError } from '../../../src/domain/error'
import { RouteStopped } from '../../../src/domain/unavailable'
import { order } from '../../support/world'

const base = 8453 as const
const abi = [...routeExecutorAbi, ...recoveryExecutorAbi]

test('a revert by our contracts ends no deposit, and a revert that the order met elsewhere does', () => {
  const sample = ({ type }: AbiParameter): unknown => {
    if (type === 'address') return `0x${'1'.repeat(40)}`
    if (type === 'bytes4' || type === 'bytes32') return `0x${'0'.repeat(2 * Number(type.slice(5)))}`
    return type === 'bytes' ? '0x' : type.endsWith('256') ? 1n : 1
  }
  for (const each of abi.filter(({ type }) => type === 'error')) {
    const { name: errorName, inputs } = each as { name: string; inputs: readonly AbiParameter[] }
    const failure = revertError(refusal(errorName, inputs.map(sample)))
    const ends = errorRow(failure.code).endsIn !== null
    expect({ errorName, ends }).toEqual({ errorName, ends: !isOurRefusal(errorName) })
    const isForRoute = responsibleFor(errorName) === 'OURS_FOR_ROUTE'
    expect({ errorName, isForRoute: failure instanceof RouteStopped }).toEqual({ errorName, isForRoute })
  }
})

test('a cap of zero ends a deposit only if no holder removed the cap', () => {
  const [none, full] = [0n, 100n].map((limit) => refusal('CapReached', [`0x${'1'.repeat(40)}`, limit, 5n]))
  expect([isWithoutCap(none), isWithoutCap(full)]).toEqual([true, false])
  expect([revertError(none, true).code, revertError(none).code]).toEqual(['TOKEN_NOT_SUPPORTED', 'UNEXPECTED'])
  expect(revertError(full, true).code).toBe('UNEXPECTED')
})

test('an estimate queries the executor for a cap that a holder removed, and waits without a response', async () => {
  const codeFor = async (stoppedAt: () => Hex) => {
    const ask = (async (method, [call] = []) => {
      if (method === 'eth_estimateGas') throw refusal('CapReached', [order.token, 0n, 990n])
      const { data } = call as { data: Hex }
      return data.startsWith(toFunctionSelector('function stoppedAt(uint8,bytes32)')) ? stoppedAt() : zeroes(3)
    }) as Ask
    const executor = order.target
    const parts = { chainId: base, executor, recoveryExecutor: null, head: never, tip: never }
    return estimate(ask, parts)(order, order.account).catch(({ code }) => code)
  }
  expect(await codeFor(() => zeroes(1))).toBe('TOKEN_NOT_SUPPORTED')
  expect(await codeFor(() => `${zeroes(1).slice(0, -1)}1` as Hex)).toBe('UNEXPECTED')
  const noAnswer = (): Hex => {
    throw new RoutingError('RPC_TIMEOUT')
  }
  expect(await codeFor(noAnswer)).toBe('RPC_TIMEOUT')
})

const zeroes = (words: number): Hex => `0x${'0'.repeat(64 * words)}`
const never = async (): Promise<never> => {
  throw new Error('A refused estimate reads no price')
}

function refusal(errorName: string, args: readonly unknown[]): RpcRefusal {
  const data = encodeErrorResult({ abi, errorName, args } as never)
  return new RpcRefusal(3, 'execution reverted', data)
}
