import { expect, test } from 'bun:test'
import { budgetStateOf, computeUnitsOf } from '../../src/domain/limits/node-requests'

test('a request costs what Alchemy’s price list says, and twenty units if it is not listed here', () => {
  const methods = { eth_chainId: 0, eth_blockNumber: 10, eth_getBalance: 20, eth_call: 26, eth_getLogs: 60 }
  for (const [method, units] of Object.entries(methods))
    expect([method, computeUnitsOf(method)]).toEqual([method, units])
  const others = {
    ...{ eth_subscribe: 10, eth_maxPriorityFeePerGas: 10, eth_createAccessList: 10, eth_getBlockByNumber: 20 },
    ...{ eth_sendRawTransaction: 40, debug_traceTransaction: 40, debug_traceBlockByNumber: 40, eth_estimateGas: 20 },
    ...{ eth_getTransactionReceipt: 20, eth_getTransactionByHash: 20, eth_getTransactionCount: 20, eth_getCode: 20 },
    ...{ eth_getStorageAt: 20, trace_block: 20, eth_feeHistory: 20 },
  }
  for (const [method, units] of Object.entries(others))
    expect([method, computeUnitsOf(method)]).toEqual([method, units])
})

test('a budget is nearly spent from four fifths on, and none is never spent', () => {
  expect([79, 80, 99, 100].map((spent) => budgetStateOf(spent, 100))).toEqual(['WITHIN', 'NEAR', 'NEAR', 'SPENT'])
  expect([budgetStateOf(1e9, null), budgetStateOf(0, 0)]).toEqual(['WITHIN', 'SPENT'])
})
