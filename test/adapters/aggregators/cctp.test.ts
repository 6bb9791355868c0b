import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cctp, termsOf } from '../../../src/adapters/aggregators/cctp'
import { type ChainKey, chainKeys, chains } from '../../../src/domain/chain/chain'
import { defaultPolicy, type Policy } from '../../../src/domain/execution/route'
import type { RouteRequest } from '../../../src/ports/gate'
import { CctpAttested, CctpMessages } from '../../../src/protocols/cctp/answers'
import { depositForBurn, finality, readDepositForBurn } from '../../../src/protocols/cctp/burn'
import { messageOf } from '../../../src/protocols/cctp/message'
import { receiveMessage } from '../../../src/protocols/cctp/mint'
import { usdcOf } from '../../../src/protocols/lifi/diamond'
import { attestation, attested, burnOf, messageFor } from '../../support/cctp-fixtures'
import { hashOf } from '../../support/deposits'

const usdc = 1_000_000n
const requestOf = (from: ChainKey, to: ChainKey, change: Partial<RouteRequest> = {}): RouteRequest => ({
  fromChainId: chains[from].id,
  fromToken: usdcOf(chains[from].id),
  amountIn: 1_000n * usdc,
  toChainId: chains[to].id,
  toToken: usdcOf(chains[to].id),
  account: '0x3820000000000000000000000000000000000021',
  recipient: '0xbe00000000000000000000000000000000000079',
  policy: defaultPolicy,
  ...change,
})
const within = (maxDurationSeconds: number, change: Partial<Policy> = {}) => ({
  policy: { ...defaultPolicy, maxDurationSeconds, ...change },
})

type World = { fast?: number; standard?: number; allowance?: number | string; messages?: object[] }
function circle({ fast = 1.3, standard = 0, allowance = 9_000_000, messages = [] }: World = {}) {
  const asked: string[] = []
  const answers: [RegExp, () => Response][] = [
    [
      /fees/,
      () =>
        Response.json([
          { finalityThreshold: 1000, minimumFee: fast },
          { finalityThreshold: 2000, minimumFee: standard },
        ]),
    ],
    [/allowance/, () => Response.json({ allowance, lastUpdated: '' })],
    [/messages/, () => Response.json({ messages })],
    [/reattest/, () => Response.json({ error: 'Already finalized' }, { status: 400 })],
  ]
  const fetcher = async (url: string, { method = 'GET' }: RequestInit) => {
    asked.push(`${method} ${url.slice('http://circle'.length)}`)
    return answers.find(([path]) => path.test(url))![1]()
  }
  return { asked, provider: cctp({ url: 'http://circle', fetcher }) }
}
const signal = new AbortController().signal
const offerOf = async (request: RouteRequest, world: World = {}) => {
  const { asked, provider } = circle(world)
  const route = await provider.quote(request, signal)
  const burn = route && readDepositForBurn(route.call!.data)
  const speed = burn && (burn.minFinalityThreshold === finality.fast ? 'fast' : 'standard')
  return { route, burn, speed, asked }
}

test('every pair of chains has a route whose minimum is the input less the maximum fee, to the unit', async () => {
  for (const from of chainKeys)
    for (const to of chainKeys.filter((key) => key !== from))
      for (const amountIn of [2n, 999n, 1_000n * usdc, 10_000_000n * usdc]) {
        const { route, burn } = await offerOf(requestOf(from, to, { amountIn }))
        const sums = [route?.amountOutMin, route?.amountIn]
        expect(sums).toEqual([String(amountIn - burn!.maxFee), String(amountIn)])
        expect(burn).toMatchObject({ amount: amountIn, destinationCaller: hashOf(0) })
      }
})

test('a transfer is the free one unless that takes longer than the policy allows', async () => {
  const speeds = async (seconds: number) =>
    Promise.all(
      chainKeys.map(async (from) => {
        const to = from === 'base' ? 'arbitrum' : 'base'
        return [from, (await offerOf(requestOf(from, to, within(seconds)))).speed]
      }),
    )
  const quick = { polygon: 'standard', avalanche: 'standard' }
  expect(Object.fromEntries(await speeds(300))).toEqual({
    ...quick,
    base: 'fast',
    ethereum: 'fast',
    arbitrum: 'fast',
  })
  expect(Object.fromEntries(await speeds(1_800))).toEqual({
    ...quick,
    base: 'fast',
    ethereum: 'standard',
    arbitrum: 'fast',
  })
  expect(Object.fromEntries(await speeds(3_600))).toEqual({
    ...quick,
    base: 'standard',
    ethereum: 'standard',
    arbitrum: 'standard',
  })
})

test('the expected time is the attestation’s plus both chains’ confirmations', async () => {
  const secondsOf = async (from: ChainKey, to: ChainKey, seconds: number) =>
    (await offerOf(requestOf(from, to, within(seconds)))).route!.expectedSeconds
  // Ethereum confirms after twelve blocks, later than Circle attests. Polygon confirms after 64 blocks of two seconds.
  expect(await secondsOf('ethereum', 'polygon', 300)).toBe(144 + 2 + 128)
  expect(await secondsOf('avalanche', 'base', 300)).toBe(8 + 2 + 20)
  expect(await secondsOf('ethereum', 'base', 1_800)).toBe(19 * 60 + 2 + 20)
  expect(await secondsOf('base', 'avalanche', 3_600)).toBe(34 * 60 + 2 + 6)
})

test('the maximum fee is a fifth above Circle’s fee, within the policy’s slippage and share', async () => {
  const fees = async (change: Partial<Policy>, world: World = {}) => {
    const { route, burn } = await offerOf(requestOf('base', 'arbitrum', within(300, change)), world)
    return route && [1_000n * usdc - BigInt(route.amountOutExpected), burn!.maxFee, route.slippageBps]
  }
  expect(await fees({})).toEqual([130_000n, 156_000n, 0])
  expect(await fees({}, { fast: 14 })).toEqual([1_400_000n, 1_680_000n, 2])
  expect(await fees({ slippageBps: 1 }, { fast: 14 })).toEqual([1_400_000n, 1_499_860n, 1])
  expect(await fees({ minOutputBps: 9_985 }, { fast: 14 })).toEqual([1_400_000n, 1_500_000n, 1])
  // Fast exceeds the policy's share, so the standard transfer remains, with its time.
  const slow = await offerOf(requestOf('base', 'arbitrum', within(300, { minOutputBps: 9_999 })), { fast: 14 })
  expect([slow.speed, slow.route?.expectedSeconds]).toEqual(['standard', 2_046])
  expect(await fees({ minOutputBps: 10_000 }, { fast: 14, standard: 0.001 })).toBeNull()
})

test('the maximum fee covers Circle’s fee within the policy, or there is no offer', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 13n })
  const shares = [fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 5_000, max: 10_000 })] as const
  fc.assert(
    fc.property(
      amounts,
      fc.integer({ min: 0, max: 100_000 }),
      ...shares,
      (amountIn, thousandths, slippageBps, minOutputBps) => {
        const policy = { ...defaultPolicy, slippageBps, minOutputBps }
        const terms = termsOf({ amountIn, policy }, { finalityThreshold: 1000, minimumFee: thousandths / 1_000 })
        const least = (amountIn * BigInt(thousandths)) / 10_000_000n
        if (!terms) return expect((amountIn - least - 1n) * 10_000n).toBeLessThan(amountIn * BigInt(minOutputBps))
        const { fee, maxFee } = terms
        expect(fee >= least && fee <= least + 1n && fee <= maxFee && maxFee < amountIn).toBe(true)
        expect((amountIn - maxFee) * 10_000n >= amountIn * BigInt(minOutputBps)).toBe(true)
        expect((maxFee - fee) * 10_000n <= (amountIn - fee) * BigInt(slippageBps)).toBe(true)
        expect(terms.slippageBps).toBeLessThanOrEqual(slippageBps)
        return undefined
      },
    ),
  )
})

test('a fee is rounded up to the unit, and an amount that it would consume is not burned', async () => {
  const feeFor = async (amountIn: bigint) => {
    const { route, burn } = await offerOf(requestOf('base', 'arbitrum', { amountIn, ...within(300) }))
    return route && [amountIn - BigInt(route.amountOutExpected), burn!.maxFee]
  }
  expect(await feeFor(10_000n)).toEqual([2n, 3n])
  expect(
    (await offerOf(requestOf('base', 'arbitrum', { amountIn: 1n, ...within(300) }), { standard: 1 })).route,
  ).toBeNull()
})

test('a transfer above Circle’s fast allowance is offered as the standard transfer that it becomes', async () => {
  const request = requestOf('base', 'arbitrum', within(300))
  const { speed, route, asked } = await offerOf(request, { allowance: 999.99 })
  expect([speed, route!.amountOutMin, route!.expectedSeconds]).toEqual(['standard', '1000000000', 2_046])
  expect(asked).toEqual(['GET /v2/burn/USDC/fees/6/3', 'GET /v2/fastBurn/USDC/allowance'])
  expect((await offerOf(request, { allowance: 1_000 })).speed).toBe('fast')
  expect(offerOf(request, { allowance: 'plenty' })).rejects.toMatchObject({ code: 'PROVIDER_MALFORMED' })
})

test('no request is made for tokens other than Circle’s USDC, a single chain, or an amount above the burn limit', async () => {
  const other = '0x4200000000000000000000000000000000000006'
  for (const change of [
    { fromToken: other },
    { toToken: other },
    { toChainId: chains.base.id, toToken: usdcOf(chains.base.id) },
    { amountIn: 10_000_000n * usdc + 1n },
  ] as Partial<RouteRequest>[])
    expect(await offerOf(requestOf('base', 'arbitrum', change))).toEqual({
      route: null,
      burn: null,
      speed: null,
      asked: [],
    })
})

test('only an expired mint is re-attested', async () => {
  const request = requestOf('base', 'arbitrum', { amountIn: 25n * usdc })
  const message = messageFor(request)
  const { asked, provider } = circle({ messages: [attested(message)] })
  const { account, fromChainId, toChainId } = request
  const sent = {
    hash: hashOf(1),
    fromChainId,
    toChainId,
    account,
    reference: null,
    call: depositForBurn(burnOf(request)),
  }
  const expired = receiveMessage(messageOf(message), attestation)
  const byTransaction = `GET /v2/messages/6?transactionHash=${hashOf(1)}`

  expect(await provider.outcome({ ...sent, expired: `${expired}00` }, signal)).toMatchObject({ kind: 'ATTESTED' })
  expect(asked).toEqual([byTransaction])
  expect(await provider.outcome({ ...sent, expired }, signal)).toEqual({ kind: 'PENDING' })
  expect(asked).toEqual([byTransaction, byTransaction, `POST /v2/reattest/${message.nonce}`])
})

test('a real response of Circle is parsed', async () => {
  const { samples } = await Bun.file('test/fixtures/real-answers/cctp/messages.json').json()
  for (const { message, attestation: signatures } of samples) {
    const body = { messages: [{ message, attestation: signatures, status: 'complete' }] }
    expect(CctpMessages(body)).toEqual(body)
    expect(CctpAttested({ message, attestation: signatures })).toEqual({ message, attestation: signatures })
  }
})

test('a transfer without a known call or account has no outcome', async () => {
  const { asked, provider } = circle()
  const sent = { hash: hashOf(1), fromChainId: 8453, toChainId: 42161, reference: null } as const
  const account = requestOf('base', 'arbitrum').account
  for (const about of [{}, { account }, { account, call: '0x1234' }] as const)
    expect(await provider.outcome({ ...sent, ...about }, signal)).toEqual({ kind: 'PENDING' })
  expect(asked).toEqual([])
})
