import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lastValueFrom } from 'rxjs'
import { aggregators as aggregatorsAt } from '../../src/adapters/aggregators'
import { relay } from '../../src/adapters/aggregators/relay'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { hmacSeals } from '../../src/adapters/hmac-seals'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { loadConfig } from '../../src/app/config/config'
import { pricing } from '../../src/app/pricing'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { scannedTo } from '../../src/detection/chains/chain-lease'
import { type ChainId, type ChainKey, chainKeys, perChain } from '../../src/domain/chain/chain'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { depositIdOf, type Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import { TokenList } from '../../src/domain/money/token'
import { intentObjection } from '../../src/domain/seals'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers, SigningKey } from '../../src/ports/signer'
import { advance, type EngineContext } from '../../src/routing/engine/advance'
import { policySigner } from '../../src/signer/policy-signer'
import { relayers as relayersOf } from '../../src/signer/relayers'
import { lifiBridges } from '../../src/signer/route-rules'
import { nightly, sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { openGate } from '../support/gates'
import { Life, type Point } from '../support/mortal'
import { newAddress } from '../support/order-world'
import { unknownGas } from '../support/route-gas'
import { stepsIn } from '../support/steps'
import { unlimited } from '../support/unlimited'
import { until } from '../support/until'

/** Every write in the life of a deposit. */
const kinds = [
  'lanes.save',
  'signer.sign',
  'relayers.transaction',
  'senders.save',
  'chain.send',
  'deliveries.save',
  'executions.save',
]
const points: Point[] = [
  ...kinds.map((write) => ({ write, times: 1 })),
  ...[2, 3, 4, 5, 6].map((times) => ({ write: 'executions.save', times })),
]
const pollMs = 60
const amountRaw = 25_000_000n

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { ROLES: 'api,scanner' } })
})
afterAll(() => environment?.stop())

const slowMs = 600

/** One slow, remote relayer key for all orders. */
function oneSlowKey([key]: readonly SigningKey[], config: Parameters<typeof relayersOf>[1]): Relayers {
  const relayers = relayersOf([key!], config)
  const transaction: Relayers['transaction'] = async (...asked) => {
    await Bun.sleep(slowMs)
    return relayers.transaction(...asked)
  }
  return { ...relayers, transaction }
}

/** A worker on real adapters, until it is killed. */
function workerOf(life: Life, keysOf = relayersOf, orderSeconds = 150): EngineContext {
  const { installation, store } = environment
  const { config, secrets, keys } = loadConfig({ ...installation.serviceEnv(), ROLES: 'worker' })
  const now = Date.now
  const real = perChain((chainId, key: ChainKey) =>
    evmChain({
      now: Date.now,
      ...config,
      chainId,
      rpcUrls: secrets.rpcUrls[key],
      confirmations: config.confirmations[key],
    }),
  )
  const chains = perChain((chainId) => life.of(real[chainId], 'chain', ['send'])) as Chains
  const providers = providersAt(config.lifiUrl!)
  const executions = life.of(store.executions, 'executions', ['save'])
  const seals = hmacSeals(keys.intentMac!)
  const relayPrices = relay({ url: config.relayPricesUrl, apiKey: null })
  const tokens = new TokenList([])
  const sources = { providers, relayPrices, tokens, chains }
  const { signerWorth, ...worth } = pricing({ secrets, ...sources, ...store, now, telemetry: noTelemetry })
  const signer = policySigner({ seals, key: memoryKey(keys.routeSigner as Hex), ...config, ...store, ...signerWorth })
  const relayers = keysOf((keys.relayers as Hex[]).map(memoryKey), config)
  const steps = stepsIn({
    intents: life.of(store.intents, 'intents', []),
    accounts: store.accounts,
    payable: async () => null,
    seals,
    verifyIntent: async (execution) => intentObjection(seals, execution),
    lanes: life.of(store.lanes, 'lanes', ['save']),
    deliveries: life.of(store.deliveries, 'deliveries', ['save']),
    relayerRecords: life.of(store.relayerRecords, 'senders', ['save']),
    executions,
    chains,
    aggregators: providers,
    signer: life.of(signer, 'signer', ['sign']),
    relayers: life.of(relayers, 'relayers', ['transaction']),
    blacklist: { isListed: () => false },
    pauses: { find: () => null },
    quoting: { aggregators: providers.map((one) => openGate(one)), ...worth, quoteTimeoutMs: 8_000, now },
    limits: unlimited,
    mayForgiveGas: async () => true,
    routeGas: unknownGas,
    onLowGas: () => {},
    freshHead: (chainId) => chains[chainId].head(),
    scannedTo: scannedTo(store.scanCursors),
    orderSeconds,
    ordersPerTransaction: 10,
    pollMs: () => pollMs,
    now,
  })
  return { executions, steps, now, random: () => 0.5, onBug: (_, error) => void (life.isOver || bugs.push(error)) }
}
const bugs: unknown[] = []

const providersAt = (url: string) => aggregatorsAt({ lifi: { url, apiKey: null, bridges: lifiBridges } })

/** Advances the execution, as wake-ups would, until it or the worker has ended. */
const carryOn = (id: string, life: Life, worker = workerOf(life)): Promise<'ended' | 'died'> =>
  until(
    `the end of ${id} or of its worker`,
    async (note) => {
      const looked = lastValueFrom(advance(id, true, worker), { defaultValue: null })
      const last = await Promise.race([looked, life.died])
      if (last === 'died') return 'died'
      const stored = await environment.store.executions.load(id)
      note(stored && { state: stored.state, waiting: stored.facts.waiting, cause: stored.cause })
      return stored && isTerminal(stored.state) ? 'ended' : null
    },
    { everyMs: pollMs },
  )

type Sent = { userId: string; account: Address; chainKey: ChainKey; id: string }

/** A deposit of a new user, once its record is stored. */
async function deposited(n: number, token: string, intent: Parameters<Environment['intend']>[1]): Promise<Sent> {
  const { devnet, store, clients, newUserId, intend } = environment
  const userId = newUserId('swept')
  const chainKey = chainKeys[n % chainKeys.length]!
  const { depositAddress: account } = await intend(userId, intent)
  const hash = await devnet.sendDeposit({ chainKey, token, amountRaw, to: account })
  const { logs } = await clients[chainKey].waitForTransactionReceipt({ hash })
  const chainId = (await clients[chainKey].getChainId()) as ChainId
  const id = depositIdOf(chainId, hash, logs[0]!.logIndex!)
  await until(`the record of ${id}`, async (note) => note(await store.executions.load(id)))
  return { userId, account, chainKey, id }
}

/** Carries out an execution with a worker that is killed, and continues with another one. */
async function killedOnce(id: string, life: Life) {
  const how = await carryOn(id, life)
  if (how === 'died') await carryOn(id, new Life(null))
  return { life, how, record: (await environment.store.executions.load(id))! }
}

type Ended = Awaited<ReturnType<typeof killedOnce>> & { account: Address }

/** Each deposit ended like the undisturbed one, by one transaction that the chain accepted. */
async function assureSameEnd(ended: readonly Ended[]): Promise<void> {
  const [undisturbed] = ended
  expect(undisturbed!.how).toBe('ended')
  expect(new Set(undisturbed!.life.writes)).toEqual(new Set(kinds))
  const killedAfter = new Set(ended.filter(({ how }) => how === 'died').map(({ life }) => life.writes.at(-1)))
  expect(killedAfter).toEqual(new Set(kinds))
  const routes = await environment.routesExecuted()
  for (const { record, account, life } of ended) {
    const where = `killed after ${life.writes.length} writes, the last ${life.writes.at(-1)}`
    expect(record.status, where).toBe('SUCCESS')
    expect(record.retryCount, where).toBe(0)
    expect(publicStatuses(record), where).toEqual(publicStatuses(undisturbed!.record))
    expect(
      routes.filter((route) => route.account === account),
      where,
    ).toHaveLength(1)
  }
  expect(bugs).toEqual([])
}

test('another worker brings the deposit to the same end, once, after a worker dies at any of its writes', async () => {
  const { devnet } = environment
  const ended = await Promise.all(
    [null, ...points].map(async (point, n) => {
      const to = chainKeys[(n + 1) % chainKeys.length]!
      const sent = await deposited(n, 'USDC', { to, receive: 'USDC' })
      return { ...sent, ...(await killedOnce(sent.id, new Life(point))), to }
    }),
  )
  await assureSameEnd(ended)
  for (const { record, account, chainKey, to, userId } of ended) {
    expect(await devnet.balanceOf(chainKey, 'USDC', account)).toBe(0n)
    expect(await devnet.balanceOf(to, 'USDC', recipientOf(userId))).toBe(BigInt(record.facts.delivery!.amountRaw))
  }
})

test('a refund by the RecoveryExecutor reaches the same end, once, wherever its worker dies', async () => {
  const { devnet, store } = environment
  const ended = await Promise.all(
    [null, ...kinds.map((write) => ({ write, times: 1 }))].map(async (point, n) => {
      const refundAddress = newAddress()
      const sent = await deposited(n, 'SY-NOCAP', {
        to: chainKeys[(n + 1) % chainKeys.length]!,
        receive: 'USDC',
        refundAddress,
      })
      await carryOn(sent.id, new Life(null))
      expect((await store.executions.load(sent.id))!).toMatchObject({
        status: 'FAILED_INVALID_INPUT',
        cause: { code: 'TOKEN_NOT_SUPPORTED' },
      })
      const [asked, again] = [await refund(sent.id), await refund(sent.id)]
      expect([asked.status, again.status]).toEqual([202, 409])
      return { ...sent, ...(await killedOnce(`${sent.id}:r1`, new Life(point))), refundAddress }
    }),
  )
  await assureSameEnd(ended)
  for (const { record, account, chainKey, refundAddress, id } of ended) {
    expect(record.facts.order).toMatchObject({ kind: 'REFUND', protocolFee: '0', gasFee: '0' })
    expect(await devnet.balanceOf(chainKey, 'SY-NOCAP', account)).toBe(0n)
    expect(await devnet.balanceOf(chainKey, 'SY-NOCAP', refundAddress)).toBe(amountRaw)
    expect((await refund(id)).status).toBe(409)
  }
})

/** An order that failed in a batch ends at its deadline. */
const shortSeconds = 20

/** One for each write on the way to a shared transaction. At the last one, only some records refer to it. */
const sharedPoints = sample<Point>(
  'writes on the way to a shared transaction',
  [
    { write: 'senders.save', times: 1 },
    { write: 'relayers.transaction', times: 1 },
    { write: 'chain.send', times: 1 },
    { write: 'executions.save', times: 8 },
  ],
  1,
)

nightly('orders that share a transaction each reach their own end, once, wherever their worker dies', async () => {
  const { clients, store } = environment
  const tokens = ['USDC', 'USDC', 'SY-REVERT', 'USDC', 'USDC']
  const groups = await Promise.all(
    [null, ...sharedPoints].map(async (point, n) => {
      const to = chainKeys[(n + 1) % chainKeys.length]!
      const sent = await Promise.all(tokens.map((token) => deposited(n, token, { to, receive: 'USDC' })))
      const life = new Life(point)
      const first = workerOf(life, oneSlowKey, shortSeconds)
      const hows = await Promise.all(sent.map(({ id }) => carryOn(id, life, first)))
      const next = new Life(null)
      const second = workerOf(next, oneSlowKey, shortSeconds)
      await Promise.all(sent.map(({ id }) => carryOn(id, next, second)))
      const records = await Promise.all(sent.map(async ({ id }) => (await store.executions.load(id))!))
      return { point, hows, records, client: clients[chainKeys[n % chainKeys.length]!] }
    }),
  )
  const routes = await environment.routesExecuted()
  const failedAmongOthers: string[] = []
  for (const { point, hows, records, client } of groups) {
    const where = point ? `killed after ${point.times} ${point.write}` : 'not killed'
    expect(hows.includes('died'), where).toBe(point !== null)
    for (const { deposit, status, cause, facts } of records) {
      const isRefused = deposit.symbol === 'SY-REVERT'
      expect({ status, cause: cause?.code }, where).toEqual(
        isRefused ? { status: 'DEAD_LETTER', cause: 'TRANSACTION_REVERTED' } : { status: 'SUCCESS', cause: undefined },
      )
      const used = routes.filter(({ account }) => account === deposit.account)
      expect(used, where).toHaveLength(isRefused ? 0 : 1)
      if (!isRefused) continue
      const hash = facts.receipt!.hash
      const { status: ofAll } = await client.getTransactionReceipt({ hash })
      if (ofAll === 'success') failedAmongOthers.push(hash)
    }
  }
  const carried = groups.flatMap(({ records }) => records.flatMap(({ facts }) => facts.spent?.hash ?? []))
  expect(new Set(carried).size).toBeLessThan(carried.length)
  expect(failedAmongOthers).not.toEqual([])
  expect(bugs).toEqual([])
})

const refund = (id: string) =>
  fetch(`${environment.installation.apiUrl}/api/operator/executions/${encodeURIComponent(id)}/refund`, {
    method: 'POST',
    headers: { 'x-api-key': environment.installation.keys.platformOperator, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'No order moves this token' }),
  })

const publicStatuses = ({ history }: Execution) =>
  history.map(({ status }) => status).filter((status, n, all) => status !== null && status !== all[n - 1])
