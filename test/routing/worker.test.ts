import { expect, test } from 'bun:test'
import { EMPTY } from 'rxjs'
import { RoutingError } from '../../src/domain/error'
import type { Sender } from '../../src/domain/sender'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import { worker } from '../../src/routing/worker'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { order, world } from '../support/world'

test('worker: a relayer key that cannot pay does not keep the others from being tended', async () => {
  const keys = [1, 2].map((n) => ({ id: `base:${n}`, address: addressOf(n) }))
  const attempt = (id: string) => ({ hash: order.id, bytes: `0x${id}` as const, feeCap: '8', tip: '1', at: 0 })
  const slot = (id: string) => ({
    nonce: 0,
    orderId: order.id,
    order,
    deadline: 60,
    attempts: [attempt(id)],
    hashes: [],
  })
  const senders = recordsInMemory<Sender>(
    ...keys.map(({ id }) => ({ id, version: 1, nextNonce: 1, slots: [slot(id.slice(-1))] })),
  )
  const sent = Promise.withResolvers<string>()
  const chain = {
    chainId: 8453,
    confirmed: async () => ({ number: 1, hash: '0x', time: 0 }),
    minedNonces: async () => 0,
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    async send(bytes: string) {
      if (bytes === '0x1') throw new RoutingError('RPC_FAILED', { cause: new Error('insufficient funds') })
      sent.resolve(bytes)
    },
  }
  const faults: string[] = []
  const { executions, steps, now, random, onBug } = world()
  const wakes = { wake: async () => {}, wakeNow: async () => {}, wakes: () => EMPTY }
  const relayers = { keys: () => keys } as unknown as Relayers
  const chains = { 8453: chain } as unknown as Chains
  const ports = { executions, steps, now, random, onBug, wakes, chains, relayers, senders }
  const news = { onRecord: () => {}, onSettled: () => {}, onFault: (what: string) => void faults.push(what) }
  const one = worker(ports, { concurrency: 1, sweepMs: 1_000_000, tendMs: 1_000_000 }, news)
  one.start()
  expect(await sent.promise).toBe('0x2')
  await one.stop()
  expect(faults).toEqual(['sender base:1'])
})
