import { expect, test } from 'bun:test'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { intake } from '../../src/detection/intake/intake'
import { TokenList } from '../../src/domain/money/token'
import { addressOf, executionOf, hashOf, type sightingOf } from '../support/deposits'
import { executionsInMemory, recordsOf } from '../support/records'
import { wakesInMemory } from '../support/wakes'

test('a second detector of a deposit is recorded without another read of its execution', async () => {
  const executions = executionsInMemory()
  const sightings = recordsOf<ReturnType<typeof sightingOf>>('sightings')
  const { deposit, organizationId, userId } = executionOf(1)
  const { chainId, token, symbol, decimals } = deposit
  let reads = 0
  const counted = {
    ...executions,
    async load(id: string) {
      reads += 1
      return executions.load(id)
    },
  }
  const { confirmed } = intake({
    ...{ executions: counted, sightings, wakes: wakesInMemory(), machineVersion: '1', now: () => 5 },
    ...{ chains: {}, telemetry: noTelemetry },
    tokens: new TokenList([{ chainId, address: token, symbol: symbol!, decimals: decimals!, name: symbol! } as never]),
  } as never)
  const transfer = {
    ...{ token, from: addressOf(7), to: deposit.account, amountRaw: 1_000_000n },
    ...{ block: 3, blockHash: hashOf(3), txHash: hashOf(1), logIndex: 0 },
  }
  const holder = { id: deposit.account, organizationId, userId }
  expect(await confirmed(chainId, transfer as never, holder, 'WEBHOOK')).toBe('STORED')
  expect(reads).toBe(1)
  expect(await confirmed(chainId, transfer as never, holder, 'SCANNER')).toBe('KNOWN')
  expect(reads).toBe(1)
  const [execution, sighting] = [executions.all()[0]!, sightings.all()[0]!]
  expect([execution.deposit.detectedBy, sighting.detectedBy.toSorted()]).toEqual([['WEBHOOK'], ['SCANNER', 'WEBHOOK']])
})
