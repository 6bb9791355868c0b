import { afterAll, expect, test } from 'bun:test'
import { keccak256, stringToHex } from 'viem'
import { signatureOf, signedFor } from '../../src/adapters/alchemy/signature'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { depositConsumer, depositStream, wakeStream } from '../../src/adapters/nats/streams'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { readWebhook } from '../../src/detection/webhooks/pointers'
import { type ChainId, chainIds, perChain } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { pinnedTokens, TokenList } from '../../src/domain/money/token'
import { depositWebhook } from '../../src/http/routes/deposit-webhook'
import { amount } from '../support/depth'
import { addressOf, detectionOn } from '../support/detection'
import { asChain, DetectionChain, type Paid } from '../support/detection-chain'
import { newDatabase } from '../support/new-database'
import { natsUrl } from '../support/servers'
import { bodyOf, courier, type Delivery, randomOf } from '../support/storm/courier'
import { until } from '../support/until'

/** `DETECTION_DEPOSITS=10000 bun test test/e2e/detection-storm.test.ts` runs the whole storm. */
const deposits = Number(process.env['DETECTION_DEPOSITS'] ?? amount('deposits', { usual: 400, full: 1_000 }))
const perBlock = 8
const tickMs = 25
const accountsMade = Math.ceil(deposits / 4)
const signingKey = 'a key of this chain alone'

const connection = await newDatabase()
const nats = await connectNats(await natsUrl())
const naming = { prefix: `storm_${crypto.randomUUID().slice(0, 8)}_`, replicas: 1 }
afterAll(async () => {
  const manager = await nats.jetstreamManager()
  for (const stream of [wakeStream, depositStream]) await manager.streams.delete(stream(naming))
  await nats.close()
})

const clock = { aheadMs: 0 }
const now = () => Date.now() + clock.aheadMs
const random = randomOf(20_261_122)
const chains = perChain((id) => new DetectionChain(id, 5))
const tokenOf = (id: ChainId): Address => pinnedTokens.find((token) => token.chainId === id)!.address
const messages = natsMessages(nats, naming)
const keys = perChain((id) => [`${signingKey} ${id}`])

function processNamed(name: string) {
  const store = mongoStore(connection, name, Date.now)
  const troubles: unknown[] = []
  const detection = detectionOn({
    chains: perChain((id) => asChain(chains[id])),
    watched: chainIds,
    tokens: new TokenList(pinnedTokens),
    now,
    accounts: store.accounts,
    executions: store.executions,
    sightings: store.sightings,
    unsupported: store.unsupported,
    cursors: store.scanCursors,
    wakes: messages.wakes,
    pointers: messages.pointers,
    machineVersion: '1',
    scanEveryMs: () => tickMs,
    sweepEveryMs: () => tickMs * 4,
    onTrouble: (trouble) => troubles.push(trouble),
    onRecovered: () => {},
    onReorg: (_id, cursor) => troubles.push(cursor),
    telemetry: noTelemetry,
  })
  return { store, detection, troubles }
}

const receiver = depositWebhook({
  pointers: messages.pointers,
  signedFor: (body, signature) => signedFor(body, signature, keys),
  readPointers(body) {
    const read = readWebhook(body, now())
    return read.kind === 'POINTERS' ? read.pointers : []
  },
  note: (outcome) => expect(outcome).not.toBe('UNREADABLE'),
})
async function deliver(delivery: Delivery): Promise<void> {
  const body = bodyOf(delivery)
  const headers = { 'x-alchemy-signature': signatureOf(body, keys[delivery.chainId][0]!) }
  const answer = await receiver.handle(new Request('http://here/webhooks/alchemy', { method: 'POST', body, headers }))
  expect(answer.status).toBe(200)
}

type Wanted = { chainId: ChainId; account: Address; token: Address; amountRaw: bigint; id: string | null }
const wanted: Wanted[] = []

/**
 * Mines a block on one chain. Each native deposit has its own account, because two at once would be one find of a
 * balance sweep.
 */
function mine(chainId: ChainId, paid: (Paid & { isNative: boolean })[]): Delivery[] {
  const hashes = chains[chainId].mine(...paid.map((each) => ({ paid: [each] })))
  let logIndex = 0
  return paid.map(({ token, to, amountRaw, isNative }, n) => {
    const txHash = hashes[n]!
    const id = isNative ? null : `${chainId}:${txHash}:${logIndex++}`
    wanted.push({ chainId, account: to, token, amountRaw, id })
    return { chainId, txHash }
  })
}

let natives = 0
const nextPaid = (chainId: ChainId): Paid & { isNative: boolean } => {
  const isNative = random() < 0.1
  const account = isNative ? accountsMade + natives++ : Math.floor(random() * accountsMade)
  const amountRaw = BigInt(1 + Math.floor(random() * 1e9))
  return { token: isNative ? zeroAddress : tokenOf(chainId), to: addressOf(account), amountRaw, isNative }
}

/** The scans and sweeps of each chain so far, by all processes. */
const looks = () => chainIds.map((id) => ({ scans: chains[id].asked.head, sweeps: chains[id].asked.holders }))

const stored = () => connection.collection('executions').countDocuments()
/** The number of webhooks that no process has read to its end. */
async function unread(): Promise<number> {
  const { stream, durable } = depositConsumer(naming)
  const { num_pending, num_ack_pending } = await (await nats.jetstreamManager()).consumers.info(stream, durable)
  return num_pending + num_ack_pending
}

test(`${deposits} deposits on five chains with lost, doubled, shuffled and late webhooks are each found once`, async () => {
  const [one, two, three] = [processNamed('one'), processNamed('two'), processNamed('three')]
  await one.store.ensureIndexes()
  await messages.ensureStreams()
  for (let n = 0; n < accountsMade + deposits / 5; n++) {
    const account = {
      version: 0,
      organizationId: 'org',
      userId: `user-${n}`,
      accountSalt: keccak256(stringToHex(`${n}`)),
    }
    const times = { createdAt: 1, updatedAt: 1, label: null, canonicalChainId: chainIds[0]! }
    await one.store.accounts.save({ ...account, ...times, id: addressOf(n) })
  }
  one.detection.start()
  two.detection.start()
  await until('every chain is watched', (note) => note(one.detection.metrics().chains).length === chainIds.length)

  const post = courier(random)
  const startedAt = performance.now()
  let isSecondUp = true
  const isOver = () => wanted.length >= deposits && post.isEmpty
  for (let tick = 0; !isOver(); tick++) {
    for (const chainId of chainIds) {
      const room = Math.min(deposits - wanted.length, Math.floor(random() * 2 * perBlock))
      const paid = Array.from({ length: Math.max(0, room) }, () => nextPaid(chainId))
      for (const delivery of mine(chainId, paid)) post.take(delivery, tick)
    }
    await Promise.all(post.brought(tick).map(deliver))
    if (isSecondUp && wanted.length > deposits / 2) {
      isSecondUp = false
      await two.detection.stop()
      three.detection.start()
    }
    await Bun.sleep(10)
  }
  for (const chain of Object.values(chains)) chain.mineEmpty(6)
  const waitMs = 300_000 + deposits * 240
  await until(
    `${wanted.length} deposits are stored`,
    async (note) => {
      const count = await stored()
      note(count)
      return count >= wanted.length
    },
    { everyMs: 100, waitMs },
  )
  const seconds = (performance.now() - startedAt) / 1_000

  clock.aheadMs = 3_600_000
  await Promise.all(post.late.map(deliver))
  const again = wanted.flatMap(({ chainId, id }) => (id && random() < 0.05 ? [{ chainId, id }] : []))
  await Promise.all(again.map(({ chainId, id }) => deliver({ chainId, txHash: id.split(':')[1] as `0x${string}` })))
  await until('no webhook is left to be read', async (note) => note(await unread()) === 0, { everyMs: 100, waitMs })
  const before = looks()
  await until(
    'more scans and sweeps of every chain, which find nothing again',
    (note) =>
      note(looks()).every(({ scans, sweeps }, n) => scans >= before[n]!.scans + 40 && sweeps >= before[n]!.sweeps + 10),
    { everyMs: tickMs, waitMs },
  )
  await Promise.all([one.detection.stop(), three.detection.stop()])

  const found = (await connection.collection('executions').find({}).toArray()) as unknown as Execution[]
  const keyOf = (chainId: number, account: string, token: string) => `${chainId}:${account}:${token}`.toLowerCase()
  const sums = (all: readonly [string, bigint][]) => {
    const made = new Map<string, bigint>()
    for (const [key, raw] of all) made.set(key, (made.get(key) ?? 0n) + raw)
    return new Map([...made].sort())
  }
  expect(found).toHaveLength(deposits)
  expect(wanted).toHaveLength(deposits)
  const ids = new Set(found.map((each) => String((each as unknown as { _id: string })._id)))
  for (const { id } of wanted) if (id) expect(ids.has(id)).toBe(true)
  expect(sums(found.map(({ deposit: d }) => [keyOf(d.chainId, d.account, d.token), BigInt(d.amountRaw)]))).toEqual(
    sums(wanted.map(({ chainId, account, token, amountRaw }) => [keyOf(chainId, account, token), amountRaw])),
  )
  expect([...one.troubles, ...two.troubles, ...three.troubles]).toEqual([])
  console.log(`found ${found.length} in ${seconds.toFixed(1)} s, webhooks ${JSON.stringify(post.fates)}`)
})
