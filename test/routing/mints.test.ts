import { expect, test } from 'bun:test'
import { generatePrivateKey } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { memoryKey } from '../../src/adapters/keys/open-key'
import type { Hash, Hex } from '../../src/domain/chain/hex'
import { carries, type Relayer } from '../../src/domain/chain/relayer'
import { deadlineOf } from '../../src/domain/execution/deadline'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import type { AttestedMint } from '../../src/domain/execution/mint'
import { nextOf } from '../../src/http/views/next'
import { mintOf } from '../../src/http/views/transaction'
import type { ChainClient, Chains } from '../../src/ports/chain-client'
import type { DeliveryClaim } from '../../src/ports/executions'
import type { BridgeOutcome } from '../../src/ports/gate'
import type { Relayers } from '../../src/ports/signer'
import {
  type Burn,
  depositForBurn,
  domainOf,
  finality,
  messageTransmitter,
  tokenMessenger,
  wordOf,
} from '../../src/protocols/cctp/burn'
import { messageOf } from '../../src/protocols/cctp/message'
import { receiveMessage } from '../../src/protocols/cctp/mint'
import { tend } from '../../src/routing/delivery/relayer-transactions'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { relayers as relayerKeys } from '../../src/signer/relayers'
import { account, addressOf, executionOf, hashOf, token } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { executors } from '../support/signable'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order, spent } from '../support/world'

const nonce = hashOf(0x0123)
const zero = hashOf(0)
const burn: Burn = {
  amount: 990n,
  destinationDomain: domainOf(42161),
  mintRecipient: wordOf(intent.targetAddress),
  burnToken: token,
  destinationCaller: zero,
  maxFee: 10n,
  minFinalityThreshold: finality.fast,
}
type Attesting = { of?: Partial<Burn>; messageSender?: Hash; expirationBlock?: bigint; hookData?: Hex; to?: number }

/** The call that mints a burn, as Circle attests it. */
function attested({ of = {}, messageSender = wordOf(account), ...more }: Attesting = {}): AttestedMint {
  const burned = { ...burn, ...of }
  const { expirationBlock = 0n, hookData = '0x', to = burned.destinationDomain } = more
  const message = messageOf({
    version: 1,
    sourceDomain: domainOf(8453),
    destinationDomain: to,
    nonce,
    sender: wordOf(tokenMessenger),
    recipient: wordOf(tokenMessenger),
    destinationCaller: burned.destinationCaller,
    minFinalityThreshold: burned.minFinalityThreshold,
    finalityThresholdExecuted: finality.fast,
    bodyVersion: 1,
    burnToken: wordOf(burned.burnToken),
    mintRecipient: burned.mintRecipient,
    amount: burned.amount,
    messageSender,
    maxFee: burned.maxFee,
    feeExecuted: 1n,
    expirationBlock,
    hookData,
  })
  return { target: messageTransmitter, data: receiveMessage(message, `0x${'11'.repeat(65)}`), nonce }
}

class Killed extends Error {}

/** A destination chain that mines on command, and a service that can be killed before any write. */
function world({ says = { kind: 'ATTESTED', mint: attested() } as BridgeOutcome } = {}) {
  const key = { id: 'arbitrum:0', address: addressOf(1) }
  const relayerRecords = recordsInMemory<Relayer>()
  const state = {
    at: 1_000,
    says,
    /** Response to a request for a new attestation. */
    renewed: { kind: 'ATTESTED', mint: attested({ expirationBlock: 99n }) } as BridgeOutcome,
    sent: [] as Hash[],
    mined: new Map<Hash, { succeeded: boolean }>(),
    /** The transaction that minted. */
    by: null as Hash | null,
    isOld: false,
    coin: 10n ** 20n,
    refusal: null as 'EXPIRED' | 'REFUSED' | null,
    asked: [] as unknown[],
    /** Writes and sends that succeed before the process is killed. */
    lives: Number.POSITIVE_INFINITY,
  }
  const live = () => {
    state.lives -= 1
    if (state.lives < 0) throw new Killed()
  }
  const records = {
    ...relayerRecords,
    save: async (record: Relayer) => {
      live()
      return relayerRecords.save(record)
    },
  }
  const nonces = () => state.mined.size
  const there = {
    chainId: 42161,
    confirmations: 1,
    head: async () => ({ number: 9, hash: zero, time: Math.floor(state.at / 1_000) }),
    confirmedNumber: async () => 9,
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    nativeBalance: async () => state.coin,
    minedNonces: async () => nonces(),
    send: async (bytes: Hash) => {
      live()
      state.sent.push(bytes)
    },
    receipt: async (hash: Hash) => state.mined.get(hash) ?? null,
    mintedBy: async () => state.by,
    estimateMint: async ({ data }: AttestedMint) => {
      if (state.by) return 'REFUSED'
      const isRenewed = state.refusal === 'EXPIRED' && data !== attested().data
      return isRenewed ? 150_000n : (state.refusal ?? 150_000n)
    },
    blockAt: async (number: number) => ({ number, hash: zero, time: Math.floor(state.at / 1_000) }),
    hasTransaction: async () => false,
    untilConfirmedMs: async () => null,
    arrived: async (hash: Hash) =>
      hash === state.by && !state.isOld
        ? { amountRaw: 989n, block: 9, time: 10_000, parts: [{ place: `${hash}:0`, amountRaw: 989n }] }
        : null,
  }
  const relayers = {
    forRoute: () => key,
    onChain: () => [key],
    transaction: async (_id: string, n: number, { id }: { id: Hash }) => {
      const bytes = keccak256(`${id}${n}` as Hex)
      return { hash: bytes, bytes }
    },
    filler: async (_id: string, n: number) => {
      const bytes = keccak256(`0x${'ff'.repeat(n + 1)}`)
      return { hash: bytes, bytes }
    },
    mayShare: () => true,
    mintObjection: relayerKeys([memoryKey(generatePrivateKey())], executors).mintObjection,
  } as unknown as Relayers
  const step = confirmDelivery({
    chains: { 8453: {}, 42161: there } as unknown as Chains,
    aggregators: [
      {
        name: 'cctp',
        outcome: async (sent: { expired?: Hex | null }) => {
          state.asked.push(sent.expired)
          return sent.expired ? state.renewed : state.says
        },
      },
    ] as never,
    now: () => state.at,
    relayerRecords: records,
    relayers,
    pollMs: () => 1_000,
    deliveries: recordsInMemory<DeliveryClaim>(),
    executions: executionsInMemory(),
    limits: unlimited,
  })
  const route = { provider: 'cctp', kind: 'BRIDGE', reference: null, quotedAt: 0 } as never
  let facts: Facts = { intent, order: { ...order, data: depositForBurn(burn) }, spent, route }
  return {
    state,
    /** Facts are stored after the step, so they survive a kill. */
    async step() {
      const outcome = await step(executionOf(1, { state: 'RUNNING', facts } as Partial<Execution>))
      facts = { ...facts, ...outcome.facts }
      return outcome
    },
    /** Mines the last sent transaction. It mints if the burn is not minted yet. */
    mine() {
      const hash = state.sent.at(-1)!
      state.mined.set(hash, { succeeded: state.by === null })
      state.by ??= hash
    },
    /** Mines the last sent transaction without success. */
    fail() {
      state.mined.set(state.sent.at(-1)!, { succeeded: false })
    },
    slots: () => relayerRecords.get(key.id)?.slots ?? [],
    tend: () => tend(key, { relayerRecords, relayers, chain: there as unknown as ChainClient, now: () => state.at }),
    facts: () => facts,
  }
}

const isMinting = { waitingFor: 'PROVIDER', historyEntry: 'mint submitted' }

test('our relayer mints an attested burn under one stored nonce, and the delivery counts once the chain shows it', async () => {
  const { step, mine, slots, state, facts } = world()
  expect(await step()).toMatchObject(isMinting)
  expect(slots()).toMatchObject([{ nonce: 0, order: { kind: 'MINT', target: messageTransmitter } }])
  expect(facts().mint).toMatchObject({ nonce, transactions: [{ hash: state.sent[0], nonce: 0 }] })

  const askedBefore = state.asked.length
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER' })
  expect([state.sent.length, state.asked.length]).toEqual([1, askedBefore])

  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered', facts: { delivery: { amountRaw: '989' } } })
})

testAll([0, 1])(
  'a process killed before or after the store of a mint continues with the same nonce, and one mint is mined',
  async (lives) => {
    const { step, mine, slots, state } = world()
    state.lives = lives
    await expect(step()).rejects.toThrow(Killed)
    state.lives = Number.POSITIVE_INFINITY
    expect(await step()).toMatchObject(isMinting)
    expect(slots()).toHaveLength(1)
    expect(new Set(state.sent).size).toBe(1)
    mine()
    expect(await step()).toMatchObject({ type: 'funds delivered' })
  },
)

test('a mint that ran out of gas is sent again after a minute with more gas, three times, and then waits', async () => {
  const { step, fail, mine, tend, slots, state, facts } = world()
  expect(await step()).toMatchObject(isMinting)
  const gasOf = () => Number(slots().at(-1)!.order!.gasLimit)
  const gas = [gasOf()]
  for (const n of [1, 2]) {
    fail()
    await tend()
    state.at += 61_000
    expect(await step()).toMatchObject(isMinting)
    expect(slots().map(({ nonce: of }) => of)).toEqual([...Array(n + 1).keys()])
    gas.push(gasOf())
  }
  expect(gas).toEqual([225_000, 450_000, 675_000])
  fail()
  await tend()
  state.at += 61_000
  expect(await step()).not.toHaveProperty('historyEntry')
  expect([state.sent.length, facts().mint!.transactions.length]).toEqual([3, 3])
  // Its slot is free once the mint has expired.
  state.at += 1_800_000
  await tend()
  expect(await step()).toMatchObject(isMinting)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
})

test('a mint sent by a killed process is recognized even if only its bytes are stored', async () => {
  const { step, mine, slots, state, facts } = world()
  state.lives = 1
  await expect(step()).rejects.toThrow(Killed)
  state.lives = Number.POSITIVE_INFINITY
  state.sent.push(slots()[0]!.hashes[0]!.hash)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
  expect(facts().mint!.transactions).toMatchObject([{ hash: state.sent[0], nonce: 0 }])
})

test('a mint sent by a killed process is recognized after an earlier refusal by the destination', async () => {
  const { step, mine, slots, state, facts } = world()
  state.refusal = 'REFUSED'
  await step()
  state.refusal = null
  state.lives = 1
  await expect(step()).rejects.toThrow(Killed)
  state.lives = Number.POSITIVE_INFINITY
  expect(facts().mint!.transactions).toEqual([])
  state.sent.push(slots()[0]!.hashes[0]!.hash)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
  expect(facts().mint!.transactions).toMatchObject([{ hash: state.sent[0], nonce: 0 }])
})

test('a burn minted by a third party is delivered by their transaction and costs us no gas', async () => {
  const { step, slots, state } = world()
  state.by = hashOf(0xbeef)
  expect(await step()).toMatchObject({ type: 'funds delivered', facts: { delivery: { hash: hashOf(0xbeef) } } })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
})

test('a third party’s faster mint is the delivery, and ours reverts', async () => {
  const { step, mine, state } = world()
  await step()
  state.by = hashOf(0xbeef)
  mine()
  // The relayer keeps the bytes until the block is confirmed. The third party's transaction is requested after a
  // minute.
  state.at += 61_000
  expect(await step()).toMatchObject({ type: 'funds delivered', facts: { delivery: { hash: hashOf(0xbeef) } } })
})

test('a mint unmined for half an hour is replaced by an empty transfer, which is not counted as a mint, and sent again', async () => {
  const { step, mine, slots, tend: tended, state, facts } = world()
  await step()
  state.at += 31 * 60_000
  await tended()
  const filler = state.sent.at(-1)!
  expect(slots()[0]).toMatchObject({ order: null })
  await step()
  state.mined.set(filler, { succeeded: true })
  await tended()
  state.at += 61_000
  await step()
  expect(slots().map(({ nonce, order }) => [nonce, order?.kind])).toContainEqual([1, 'MINT'])
  expect(facts().mint!.transactions.map(({ hash }) => hash)).not.toContain(filler)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
})

test('an expired attestation’s call is never shown, even after an older process renewed it without updating the call', async () => {
  const { step, state, facts } = world()
  const shown = () => mintOf(executionOf(1, { facts: facts() } as Partial<Execution>))
  state.coin = 0n
  await step()
  expect(shown()).toMatchObject({ data: attested().data })
  const mint = { ...facts().mint!, id: hashOf(0x0e1d) }
  expect(mintOf(executionOf(1, { facts: { ...facts(), mint } } as Partial<Execution>))).toBeNull()
  state.refusal = 'EXPIRED'
  state.renewed = { kind: 'PENDING' }
  state.at += 60_000
  await step()
  expect(facts().mint).toMatchObject({ nonce, transactions: [] })
  expect(shown()).toBeNull()
})

test('a transaction that proves no delivery of this burn is dropped, and the next attestation is minted', async () => {
  const { step, mine, state, facts } = world()
  state.by = hashOf(0x01d) // an older burn, whose mint cannot be this delivery
  state.isOld = true
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER' })
  expect(facts().mint).toBeUndefined()
  Object.assign(state, { by: null, isOld: false })
  expect(await step()).toMatchObject(isMinting)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
})

test('a mint that the chain would refuse is reported instead of sent, and its call is shown for anyone to use', async () => {
  const { step, mine, slots, state, facts } = world()
  state.refusal = 'REFUSED'
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER' })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
  const running = () => executionOf(1, { state: 'RUNNING', status: 'RUNNING', facts: facts() } as Partial<Execution>)
  expect(nextOf(running(), state.at).message).toContain('rejects the mint now')
  expect(mintOf(running())).toBeNull()

  state.refusal = null
  state.coin = 0n
  state.at += 60_000
  expect(await step()).toMatchObject({ waitingFor: 'GAS' })
  expect(mintOf(running())).not.toBeNull()
  expect(nextOf(running(), state.at).message).not.toContain('rejects the mint now')
  state.coin = 10n ** 20n
  state.at += 60_000
  expect(await step()).toMatchObject(isMinting)
  const { target, data } = attested()
  expect(mintOf(running())).toMatchObject({ chainId: 42161, contract: target, data })
  expect(nextOf(running(), state.at).message).toContain('Any account can mint it on Arbitrum')
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
  expect(mintOf({ ...running(), facts: { ...facts(), delivery: {} as never } })).toBeNull()
})

test('an expired attestation is requested again, and the new one is sent', async () => {
  const { step, slots, state } = world()
  state.refusal = 'EXPIRED'
  expect(await step()).toMatchObject(isMinting)
  expect(state.asked).toEqual([null, attested().data])
  expect(carries(slots()[0]!, keccak256(attested({ expirationBlock: 99n }).data))).toBe(true)
})

test('no mint is signed while the destination’s relayer cannot pay, and it continues when it can', async () => {
  const { step, slots, state } = world()
  state.coin = 0n
  expect(await step()).toMatchObject({ waitingFor: 'GAS' })
  expect(slots()).toEqual([])
  state.coin = 10n ** 20n
  state.at += 60_000
  expect(await step()).toMatchObject(isMinting)
})

const wrong: [string, AttestedMint][] = [
  ['of another contract', { ...attested(), target: addressOf(0xbad) }],
  ['of another call', { ...attested(), data: '0xdeadbeef' }],
  ['with an additional byte', { ...attested(), data: `${attested().data}00` }],
  ['of another account’s burn', attested({ messageSender: wordOf(addressOf(0xbad)) })],
  ['for another recipient', attested({ of: { mintRecipient: wordOf(addressOf(0xbad)) } })],
  ['of another amount', attested({ of: { amount: 991n } })],
  ['of another token', attested({ of: { burnToken: addressOf(0xbad) } })],
  ['for another chain', attested({ to: domainOf(1) })],
  ['that only a third party may mint', attested({ of: { destinationCaller: wordOf(addressOf(0xbad)) } })],
  ['with a hook', attested({ hookData: '0x1234' })],
]
testAll(wrong)('a mint for a different burn is never signed', async (_what, mint) => {
  const { step, slots, state } = world({ says: { kind: 'ATTESTED', mint } })
  await expect(step()).rejects.toMatchObject({ code: 'PROVIDER_MALFORMED' })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
})

test('a fast transfer delayed by Circle shows so, is expected like a standard one, and is not overdue earlier', async () => {
  const delay = { reason: 'FEE_TOO_LOW', expectedSeconds: 2_046 } as const
  const { step, state, facts, mine } = world({ says: { kind: 'PENDING', delay } })
  const running = () => executionOf(1, { state: 'RUNNING', status: 'RUNNING', facts: facts() } as Partial<Execution>)
  const minuteMs = 60_000
  const [late, later] = [39 * minuteMs, spent.at + (2_046 + 600) * 1_000]
  expect(deadlineOf(running())!.by).toBeLessThan(later)
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER', historyEntry: 'delivery delayed' })
  expect(facts().delay).toEqual(delay)
  expect(await step()).not.toHaveProperty('historyEntry')
  expect(nextOf(running(), late)).toMatchObject({
    actor: 'PROVIDER',
    action: 'DELIVER',
    expectedAt: new Date(spent.at + 2_046_000).toISOString(),
    by: new Date(later).toISOString(),
  })
  expect(nextOf(running(), late).message).toContain('the fee for a fast transfer rose above what this one allows')
  expect(nextOf(running(), later + 1)).toMatchObject({ actor: 'OPERATOR', action: 'INVESTIGATE' })
  expect(nextOf(running(), later + 1).message).toContain('Circle’s attestation is taking longer than expected')

  state.says = { kind: 'PENDING' }
  await step()
  expect(facts().delay).toBeNull()
  state.says = { kind: 'ATTESTED', mint: attested() }
  expect(await step()).toMatchObject(isMinting)
  expect(nextOf(running(), later + 1).message).toContain(
    'Circle has attested the transfer, but the mint is taking longer',
  )
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
})
