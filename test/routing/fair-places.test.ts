import { expect, test } from 'bun:test'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { ChainClient } from '../../src/ports/chain-client'
import { withoutPlace } from '../../src/routing/delivery/sign-blockers'
import { addressOf, executionOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'

const key = { id: 'base:0', address: addressOf(1) }

test('whoever has waited longest for a relayer’s place does not wait behind newcomers', async () => {
  const state = { now: 0, mined: 0 }
  const relayerRecords = recordsInMemory<Relayer>()
  const chain = {
    chainId: 8453,
    confirmed: async () => ({ number: 1, hash: '0x', time: 0 }),
    minedNonces: async () => state.mined,
    fee: async () => ({ feeCap: 1n, tip: 1n }),
    nativeBalance: async () => 10n ** 18n,
  } as unknown as ChainClient
  const ports = { relayerRecords, chain, relayers: {} as never, now: () => state.now, onLowGas: () => {}, share: 1_000 }
  type Waiter = { since: number | null; due: number; born: number }
  const facts = { gasLimit: '1', route: { call: null } }
  const fill = (nonces: number[]) =>
    relayerRecords.change(key.id, {
      id: key.id,
      version: 1,
      slots: nonces.map((nonce) => ({ nonce, attempts: [{ bytes: '0x' }], hashes: [], order: null })) as never,
    })
  let given = 0
  let slots: number[] = []
  let waiters: Waiter[] = []
  const add = () => waiters.push({ since: null, due: state.now, born: state.now })
  fill([])
  const crowd = 200 // sixteen are mined every two seconds: a queue would be 25 seconds long
  const waits: number[] = []
  for (; state.now < 30 * 60_000; state.now += 100) {
    if (state.now % 2_000 === 0) {
      state.mined = given
      slots = []
      fill(slots)
    }
    while (waiters.length < crowd) add() // one tenant's deposits come as fast as they are taken
    for (const waiter of waiters.filter(({ due }) => due <= state.now).toSorted((a, b) => a.due - b.due)) {
      const waiting = waiter.since === null ? {} : { waiting: { for: 'GAS', since: waiter.since } }
      const outcome = await withoutPlace(executionOf(1, { facts: { ...facts, ...waiting } as never }), key, ports)
      if (outcome && 'askAgainInMs' in outcome) {
        waiter.since ??= state.now
        waiter.due = state.now + outcome.askAgainInMs
        continue
      }
      slots.push(given++)
      fill(slots)
      waiters = waiters.filter((one) => one !== waiter)
      waits.push(state.now - waiter.born)
    }
  }
  const sorted = [...waits, ...waiters.map(({ born }) => state.now - born)].toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]! / 1_000)
  expect(at(1)).toBeLessThan(250)
}, 200_000)
