import { expect, test } from 'bun:test'
import { generatePrivateKey } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { memoryKey } from '../../src/adapters/keys/memory-key'
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

/** The call by which what was burnt is minted, as Circle attests it. */
function attested({ of = {}, messageSender = wordOf(account), ...more }: Attesting = {}): AttestedMint {
  const burnt = { ...burn, ...of }
  const { expirationBlock = 0n, hookData = '0x', to = burnt.destinationDomain } = more
  const message = messageOf({
    version: 1,
    sourceDomain: domainOf(8453),
    destinationDomain: to,
    nonce,
    sender: wordOf(tokenMessenger),
    recipient: wordOf(tokenMessenger),
    destinationCaller: burnt.destinationCaller,
    minFinalityThreshold: burnt.minFinalityThreshold,
    finalityThresholdExecuted: finality.fast,
    bodyVersion: 1,
    burnToken: wordOf(burnt.burnToken),
    mintRecipient: burnt.mintRecipient,
    amount: burnt.amount,
    messageSender,
    maxFee: burnt.maxFee,
    feeExecuted: 1n,
    expirationBlock,
    hookData,
  })
  return { target: messageTransmitter, data: receiveMessage(message, `0x${'11'.repeat(65)}`), nonce }
}

class Killed extends Error {}

/** A destination that mines what it is sent when it is told to, and a service that may be killed before any write. */
function world({ says = { kind: 'ATTESTED', mint: attested() } as BridgeOutcome } = {}) {
  const key = { id: 'arbitrum:0', address: addressOf(1) }
  const relayerRecords = recordsInMemory<Relayer>()
  const state = {
    at: 1_000,
    says,
    /** What is said when an expired attestation is asked for anew. */
    renewed: { kind: 'ATTESTED', mint: attested({ expirationBlock: 99n }) } as BridgeOutcome,
    sent: [] as Hash[],
    mined: new Map<Hash, { succeeded: boolean }>(),
    /** The transaction by which it was minted. */
    by: null as Hash | null,
    isOld: false,
    coin: 10n ** 20n,
    refusal: null as 'EXPIRED' | 'REFUSED' | null,
    asked: [] as unknown[],
    /** How many writes and sends come through until the process is killed. */
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
    isKnown: async () => false,
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
    /** What is stored survives a kill: the facts of a step are stored after it. */
    async step() {
      const outcome = await step(executionOf(1, { state: 'RUNNING', facts } as Partial<Execution>))
      facts = { ...facts, ...outcome.facts }
      return outcome
    },
    /** A block takes what was sent last; it mints if nobody has. */
    mine() {
      const hash = state.sent.at(-1)!
      state.mined.set(hash, { succeeded: state.by === null })
      state.by ??= hash
    },
    slots: () => relayerRecords.get(key.id)?.slots ?? [],
    tend: () => tend(key, { relayerRecords, relayers, chain: there as unknown as ChainClient, now: () => state.at }),
    facts: () => facts,
  }
}

const isMinting = { waitingFor: 'PROVIDER', historyEntry: 'mint submitted' }

test('what is attested is minted by our relayer: stored under one nonce, sent, and believed when the chain shows it', async () => {
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

test.each([0, 1])(
  'killed after %d of store and send, it goes on with the same nonce, and one mint is mined',
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

test('a mint that a killed process sent is ours, also where nothing of it is stored but the bytes', async () => {
  const { step, mine, slots, state, facts } = world()
  state.lives = 1
  await expect(step()).rejects.toThrow(Killed)
  state.lives = Number.POSITIVE_INFINITY
  state.sent.push(slots()[0]!.hashes[0]!.hash)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
  expect(facts().mint!.transactions).toMatchObject([{ hash: state.sent[0], nonce: 0 }])
})

test('a mint that a killed process sent is ours, also where the destination had refused it before', async () => {
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

test('what somebody else had minted is delivered by their transaction, and costs no gas of ours', async () => {
  const { step, slots, state } = world()
  state.by = hashOf(0xbeef)
  expect(await step()).toMatchObject({ type: 'funds delivered', facts: { delivery: { hash: hashOf(0xbeef) } } })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
})

test('somebody who is faster than our mint delivers it: ours reverts, and theirs is the delivery', async () => {
  const { step, mine, state } = world()
  await step()
  state.by = hashOf(0xbeef)
  mine()
  // Until its block is confirmed the relayer keeps the bytes, and the other's transaction is asked for after a minute.
  state.at += 61_000
  expect(await step()).toMatchObject({ type: 'funds delivered', facts: { delivery: { hash: hashOf(0xbeef) } } })
})

test('a mint that no block took in half an hour is given up for an empty transfer, which is not taken for it, and is sent anew', async () => {
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

test('nobody is shown a call whose attestation has expired, or which an older process has renewed and left as it was', async () => {
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

test('what shows no delivery of this burn is forgotten, and what is attested next is minted', async () => {
  const { step, mine, state, facts } = world()
  state.by = hashOf(0x01d) // an older burn, whose mint cannot have been this delivery
  state.isOld = true
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER' })
  expect(facts().mint).toBeUndefined()
  Object.assign(state, { by: null, isOld: false })
  expect(await step()).toMatchObject(isMinting)
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
})

test('a mint that the chain would refuse is not sent, and it is said; then anybody is shown the call that mints', async () => {
  const { step, mine, slots, state, facts } = world()
  state.refusal = 'REFUSED'
  expect(await step()).toMatchObject({ waitingFor: 'PROVIDER' })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
  const running = () => executionOf(1, { state: 'RUNNING', status: 'RUNNING', facts: facts() } as Partial<Execution>)
  expect(nextOf(running(), state.at).message).toContain('would not mint it now')
  expect(mintOf(running())).toBeNull()

  state.refusal = null
  state.coin = 0n
  state.at += 60_000
  expect(await step()).toMatchObject({ waitingFor: 'GAS' })
  expect(mintOf(running())).not.toBeNull()
  expect(nextOf(running(), state.at).message).not.toContain('would not mint it now')
  state.coin = 10n ** 20n
  state.at += 60_000
  expect(await step()).toMatchObject(isMinting)
  const { target, data } = attested()
  expect(mintOf(running())).toMatchObject({ chainId: 42161, contract: target, data })
  expect(nextOf(running(), state.at).message).toContain('it can be minted on Arbitrum One by anybody')
  mine()
  expect(await step()).toMatchObject({ type: 'funds delivered' })
  expect(mintOf({ ...running(), facts: { ...facts(), delivery: {} as never } })).toBeNull()
})

test('an attestation that has expired is asked for anew, and the new one is sent', async () => {
  const { step, slots, state } = world()
  state.refusal = 'EXPIRED'
  expect(await step()).toMatchObject(isMinting)
  expect(state.asked).toEqual([null, attested().data])
  expect(carries(slots()[0]!, keccak256(attested({ expirationBlock: 99n }).data))).toBe(true)
})

test('while the relayer there cannot pay, nothing is signed, and it goes on when it can', async () => {
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
  ['with a byte behind it', { ...attested(), data: `${attested().data}00` }],
  ['of another account’s burn', attested({ messageSender: wordOf(addressOf(0xbad)) })],
  ['for another recipient', attested({ of: { mintRecipient: wordOf(addressOf(0xbad)) } })],
  ['of another amount', attested({ of: { amount: 991n } })],
  ['of another token', attested({ of: { burnToken: addressOf(0xbad) } })],
  ['for another chain', attested({ to: domainOf(1) })],
  ['that somebody else alone may ask for', attested({ of: { destinationCaller: wordOf(addressOf(0xbad)) } })],
  ['with a hook', attested({ hookData: '0x1234' })],
]
testAll(wrong)('a mint that is not the one of the burn is never signed', async (_what, mint) => {
  const { step, slots, state } = world({ says: { kind: 'ATTESTED', mint } })
  await expect(step()).rejects.toMatchObject({ code: 'PROVIDER_MALFORMED' })
  expect([slots().length, state.sent.length]).toEqual([0, 0])
})

test('a fast transfer that Circle delays says so, is expected when a standard one is, and is not overdue before', async () => {
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
