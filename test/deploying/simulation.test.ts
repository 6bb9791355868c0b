import { expect, test } from 'bun:test'
import type { Ask } from '../../src/adapters/evm/rpc/json-rpc'
import { simulateDeployment } from '../../src/deploying/simulation'
import type { Step } from '../../src/deploying/steps'
import type { Holders } from '../../src/domain/chain/account'
import { addressOf } from '../support/signable'

const day = 86_400
const now = 1_800_000_000
const holders = { admin: addressOf('admin') } as Holders

/** Day of each simulated step, counted from now and rounded down. */
async function daysOf(steps: readonly [name: string, readyAt: number | null][]): Promise<number[]> {
  const days: number[] = []
  const ask = async (_: string, [asked]: readonly unknown[]) => {
    const { blockStateCalls } = asked as { blockStateCalls: { blockOverrides: { time: string } }[] }
    for (const { blockOverrides } of blockStateCalls) days.push(Math.floor((Number(blockOverrides.time) - now) / day))
    return blockStateCalls.map(() => ({ calls: [{ gasUsed: '0x1', status: '0x1' }] }))
  }
  const all = steps.map(([name, readyAt]) => ({ name, readyAt, status: 'WAITS', by: null, isHandOver: false }) as Step)
  await simulateDeployment(ask as Ask, all, { holders, time: now })
  return days
}

test('steps scheduled now are installed together, days later', async () => {
  const names = ['schedule the executor', 'schedule the way back', 'install the executor', 'install the way back']
  expect(await daysOf(names.map((name) => [name, null]))).toEqual([0, 0, 4, 4])
})

test('steps scheduled earlier are installed as soon as they are ready, before any lapses', async () => {
  const ready = (days: number) => now + days * day
  const installed = (first: number, second: number) =>
    daysOf([
      ['install the executor', ready(first)],
      ['install the way back', ready(second)],
    ])
  expect(await installed(-10, -10)).toEqual([0, 0])
  expect(await installed(2, 2)).toEqual([2, 2])
  expect(
    await daysOf([
      ['schedule the way back', null],
      ['install the executor', ready(-13)],
      ['install the way back', null],
    ]),
  ).toEqual([0, 0, 4])
})
