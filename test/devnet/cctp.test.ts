import { afterAll, beforeEach, expect, test } from 'bun:test'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { decodeFunctionData, keccak256, recoverAddress } from 'viem/utils'
import { cctp } from '../../src/adapters/aggregators/cctp'
import { CctpAttester } from '../../src/devnet/cctp/cctp-attester'
import { startCctpServer } from '../../src/devnet/cctp/cctp-server'
import { accounts } from '../../src/devnet/chains/accounts'
import { Faults } from '../../src/devnet/faults'
import { RateLimits } from '../../src/devnet/rate-limits'
import type { Hash, Hex } from '../../src/domain/chain/hex'
import { defaultPolicy } from '../../src/domain/execution/route'
import type { BridgeOutcome, RouteRequest } from '../../src/ports/gate'
import { messageTransmitter, messageTransmitterAbi, readDepositForBurn } from '../../src/protocols/cctp/burn'
import { messageOf, readMessage } from '../../src/protocols/cctp/message'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { messageFor } from '../support/cctp-fixtures'
import { hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const [from, to] = [8453, 42161] as const
const signal = new AbortController().signal
const request: RouteRequest = {
  fromChainId: from,
  fromToken: usdcOf(from),
  amountIn: 25_000_000n,
  toChainId: to,
  toToken: usdcOf(to),
  account: '0x3820000000000000000000000000000000000021',
  recipient: '0xbe00000000000000000000000000000000000079',
  policy: defaultPolicy,
}
const inTime = (maxDurationSeconds: number) => ({ ...request, policy: { ...defaultPolicy, maxDurationSeconds } })

/** Two chains that show their burns, without a node. */
const faults = new Faults()
const limits = new RateLimits()
const listeners: ((block: object) => void)[] = []
const mined = new Set<Hash>()
const ask = async (method: string, hash: Hash) =>
  method === 'eth_blockNumber' ? '0x10' : mined.has(hash) ? { status: '0x1' } : null
const chainOf = (id: number) =>
  [
    id,
    { id, rpc: { ask }, watch: { onBlock: (read: (block: object) => void) => id === from && listeners.push(read) } },
  ] as const
const attester = new CctpAttester(new Map([chainOf(from), chainOf(to)]) as never, faults)
const server = startCctpServer(attester, { faults, limits })
const provider = cctp({ url: server.url })
afterAll(() => server.stop())
beforeEach(() => faults.remove('cctp'))

const put = (fault: string, ms: number | null = null, timesLeft: number | null = 1) =>
  faults.put('cctp', { fault, timesLeft, ms, copies: null })
let burns = 0

/** Burns as a quote requests, and reports it like Circle's contract: without the nonce, the fee and the expiry. */
async function burn(asked = request) {
  const call = (await provider.quote(asked, signal))!.call!.data
  const { maxFee, minFinalityThreshold } = readDepositForBurn(call)!
  const unsaid = { nonce: hashOf(0), finalityThresholdExecuted: 0, feeExecuted: 0n, expirationBlock: 0n }
  const message = messageOf(messageFor(asked, { maxFee, minFinalityThreshold, ...unsaid }))
  const hash = hashOf(++burns)
  const topics = encodeEventTopics({ abi: messageTransmitterAbi, eventName: 'MessageSent' })
  const data = encodeAbiParameters([{ type: 'bytes' }], [message])
  const log = { address: messageTransmitter, topics, data, logIndex: '0x3', transactionHash: hash }
  mined.add(hash)
  const block = { receipts: [{ transactionHash: hash, logs: [log] }] }
  return { call, hash, mine: () => listeners.forEach((read) => void read(block)) }
}
const outcomeOf = ({ hash, call }: { hash: Hash; call: Hex }, expired: Hex | null = null) =>
  provider.outcome(
    { hash, fromChainId: from, toChainId: to, reference: null, account: request.account, call, expired },
    signal,
  )

async function mintedBy(outcome: BridgeOutcome) {
  if (outcome.kind !== 'ATTESTED') throw new Error(`It is ${outcome.kind}`)
  const { functionName, args } = decodeFunctionData({ abi: messageTransmitterAbi, data: outcome.mint.data })
  if (functionName !== 'receiveMessage') throw new Error(functionName)
  const [message, signature] = args
  const attester = await recoverAddress({ hash: keccak256(message), signature })
  return { ...readMessage(message)!, data: outcome.mint.data, isSigned: attester === accounts.cctpAttester.address }
}

test('a fast burn is attested immediately, for its fee and until a block', async () => {
  const burned = await burn()
  expect(await outcomeOf(burned)).toEqual({ kind: 'PENDING' })
  burned.mine()
  expect(await mintedBy(await outcomeOf(burned))).toMatchObject({
    finalityThresholdExecuted: 1000,
    feeExecuted: 3_250n,
    expirationBlock: 40_016n,
    isSigned: true,
  })
  mined.delete(burned.hash)
  expect(await outcomeOf(burned)).toEqual({ kind: 'PENDING' })
})

test('a standard burn is attested once it is final, without a fee or an expiry', async () => {
  const burned = await burn(inTime(3_600))
  burned.mine()
  expect(await outcomeOf(burned)).toEqual({ kind: 'PENDING' })
  faults.remove('cctp') // which also ends the wait
  expect(await mintedBy(await outcomeOf(burned))).toMatchObject({
    finalityThresholdExecuted: 2000,
    feeExecuted: 0n,
    expirationBlock: 0n,
    isSigned: true,
  })
})

testAll(['FEE_ABOVE', 'NO_ALLOWANCE'])(
  'a fast burn becomes a standard one if the fee is too low or the allowance is used up',
  async (fault) => {
    const burned = await burn()
    put(fault)
    burned.mine()
    const said = await fetch(`${server.url}/v2/messages/6?transactionHash=${burned.hash}`)
    const { messages } = (await said.json()) as { messages: object[] }
    expect(messages).toMatchObject([
      { status: 'pending_confirmations', delayReason: expect.stringMatching('insufficient') },
    ])
    faults.remove('cctp')
    expect(await mintedBy(await outcomeOf(burned))).toMatchObject({ finalityThresholdExecuted: 2000, feeExecuted: 0n })
  },
)

test('a used-up allowance is reported before a burn', async () => {
  put('NO_ALLOWANCE')
  const route = await provider.quote(request, signal)
  expect(readDepositForBurn(route!.call!.data)!.minFinalityThreshold).toBe(2000)
})

test('an attestation can be late, wrong or expired', async () => {
  const late = await burn()
  put('LATE', 60_000)
  late.mine()
  expect(await outcomeOf(late)).toEqual({ kind: 'PENDING' })
  faults.remove('cctp')
  put('WRONG')
  expect(await mintedBy(await outcomeOf(late))).toMatchObject({ isSigned: false })
  expect(await mintedBy(await outcomeOf(late))).toMatchObject({ isSigned: true })

  const burned = await burn()
  put('EXPIRED')
  burned.mine()
  const first = await mintedBy(await outcomeOf(burned))
  expect(first).toMatchObject({ expirationBlock: 1n, isSigned: true })
  expect(await outcomeOf(burned, first.data)).toEqual({ kind: 'PENDING' })
  const again = await mintedBy(await outcomeOf(burned, first.data))
  expect(again).toMatchObject({ nonce: first.nonce, expirationBlock: 0n, feeExecuted: 3_250n, isSigned: true })
})

test('requests fail like those of the real service', async () => {
  for (const [fault, code] of [
    ['DOWN', 'PROVIDER_FAILED'],
    ['GARBAGE', 'PROVIDER_MALFORMED'],
    ['RATE_LIMIT', 'PROVIDER_RATE_LIMITED'],
  ] as const) {
    put(fault)
    expect(await provider.quote(request, signal).catch((error) => error.code)).toBe(code)
  }
  limits.put('cctp', { most: 1, windowMs: 60_000, isTold: false })
  expect((await provider.quote(request, signal))?.provider).toBe('cctp')
  expect(await provider.quote(request, signal).catch((error) => error.code)).toBe('PROVIDER_RATE_LIMITED')
  limits.remove('cctp')
  expect((await fetch(`${server.url}/v2/burn/USDC/fees/6/6`)).status).toBe(400)
})
