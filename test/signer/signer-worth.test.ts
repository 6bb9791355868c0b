import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import type { Candidate } from '../../src/domain/execution/route'
import type { PriceOpinion } from '../../src/domain/money/worth'
import { type SealSubject, sealedOffers, withSealedShare } from '../../src/domain/seals'
import type { Organization } from '../../src/domain/tenant/organization'
import { assureWorth } from '../../src/signer/worth'
import { appraising } from '../support/appraisers'
import { acrossCall } from '../support/diamond-calldata'
import { anySeal, seals } from '../support/seals'
import { signable, signerOf, tokens } from '../support/signable'
import { testAll } from '../support/test-all'

const deadline = 1_800_000_000
const lenient = { id: 'org', policy: { minOutputBps: 9_000 } }
/** Checks seals of one kind, and accepts the others. */
const isGoodOf =
  (looked: SealSubject): typeof seals.isGood =>
  (subject, fields, seal) =>
    subject !== looked || seals.isGood(subject, fields, seal)
const dollar = 10n ** 8n
const two = (usd: bigint): PriceOpinion[] => [
  { source: 'lifi', usd },
  { source: 'relay', usd },
]
/** Prices of a dollar per token and 3,000 per ether, which a test can change. */
const saying = (change: Record<string, readonly PriceOpinion[]> = {}) =>
  appraising((_chainId, token) => change[token] ?? two(token === zeroAddress ? 3_000n * dollar : dollar))
const signing = (execution: Execution, appraiser = saying(), feeCap = 10n ** 9n) =>
  signerOf({ appraiser, fee: async () => ({ feeCap, tip: 1n }) })
    .sign(execution, deadline)
    .then(
      () => 'signed',
      (error) => {
        expect([error.name, error.waitingFor, error.code]).toEqual(['WorthUnknown', 'WORTH', undefined])
        return (error.cause as Error).message
      },
    )

/** A record as a lying provider or a rewritten database would leave it: the calldata and the route agree. */
function poorly(outBps: bigint, change: Partial<Execution['facts']> = {}): Execution {
  const execution = signable({ gasFeeRaw: 0n })
  const route = execution.facts.route!
  const amount = BigInt(route.amountIn)
  const minOut = (amount * outBps) / 10_000n || 1n
  const { deposit, facts } = execution
  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = facts.intent!
  const data = acrossCall({
    account: deposit.account,
    token: deposit.token,
    amount,
    toChainId,
    tokenOut,
    recipient,
    minOut,
  })
  const poor = {
    ...route,
    amountOutMin: String(minOut),
    amountOutExpected: String(minOut),
    call: { ...route.call!, data },
  }
  return { ...execution, facts: { ...facts, route: poor, ...change } }
}
const taking = (gasFeeRaw: bigint, change: Partial<Execution['facts']> = {}): Execution => {
  const execution = signable({ gasFeeRaw })
  return { ...execution, facts: { ...execution.facts, ...change } }
}

describe('the output', () => {
  test('is signed from the policy’s share on, whatever policy the record states', async () => {
    expect(await signing(poorly(9_700n))).toBe('signed')
    expect(await signing(poorly(9_699n))).toMatch(/guaranteed output is POOR/)
    const lenient = { ...signable().facts.policy!, minOutputBps: 0 }
    expect(await signing(poorly(9_699n, { policy: lenient }))).toMatch(/guaranteed output is POOR/)
  })

  testAll<[string, Partial<Organization>, string]>([
    ['its own, sealed', withSealedShare(seals, lenient), 'signed'],
    ['an unsealed one', lenient, 'POOR'],
    [
      'one sealed for another organization',
      { ...withSealedShare(seals, { ...lenient, id: 'other' }), id: 'org' },
      'POOR',
    ],
    ['less than was sealed', { ...withSealedShare(seals, lenient), policy: { minOutputBps: 8_999 } }, 'POOR'],
    ['more than the platform’s', { id: 'org', policy: { minOutputBps: 9_950 } }, 'POOR'],
  ])('is held to the organization’s share only if that is sealed for it', async (_whose, organization, verdict) => {
    const load = async () => organization as Organization
    const share = organization.policy!.minOutputBps!
    const signed = (outBps: number) =>
      signerOf({ appraiser: saying(), organizations: { load }, seals: { ...anySeal, isGood: isGoodOf('least share') } })
        .sign(poorly(BigInt(outBps)), deadline)
        .then(
          () => 'signed',
          (error) => /is (\w+) by/.exec((error.cause as Error).message)![1]!,
        )
    expect(await signed(Math.min(share, 9_800))).toBe(verdict)
    expect(await signed(share - 1)).toBe('POOR')
  })

  let tried = 0
  let held = 0
  test('is never signed below the policy’s share, for random shares', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 9_699n }), async (share) => {
        tried++
        if ((await signing(poorly(share))) !== 'signed') held++
      }),
      { numRuns: 200 },
    )
    expect([tried, held]).toEqual([200, 200])
  })

  test('waits if the signer’s own sources have no price, until they do or an operator approves', async () => {
    const unknown = saying({ [tokens.out]: [] })
    expect(await signing(poorly(9_900n), unknown)).toMatch(/guaranteed output is UNPRICED/)
    const minimum = poorly(9_900n).facts.route!.amountOutMin
    const { totalReceivedRaw } = poorly(9_900n).facts.balance!
    const approved = (amountOutMin: string, received = totalReceivedRaw) =>
      poorly(9_900n, { worthApproval: { amountOutMin, totalReceivedRaw: received, at: 1 } })
    expect(await signing(approved(minimum), unknown)).toBe('signed')
    expect(await signing(approved(String(BigInt(minimum) + 1n)), unknown)).toMatch(/UNPRICED/)
    expect(await signing(approved(minimum, '1000'), unknown)).toMatch(/UNPRICED/)
    // If there are prices, they decide.
    expect(await signing(poorly(9_000n, { worthApproval: { amountOutMin: '1', totalReceivedRaw, at: 1 } }))).toMatch(
      /POOR/,
    )
  })

  describe('without prices', () => {
    const unknown = saying({ [tokens.out]: [] })
    const heard = { expectedSeconds: 1, slippageBps: 0, hops: 1, outcome: 'NOT_BEST', reason: null } as const
    /** Offers of two providers for the routed amount, as the previous step stores them. */
    function offered(outBps: bigint, change: { min?: string; id?: string; amountIn?: string } = {}): Candidate[] {
      const { id, facts } = poorly(outBps)
      const { amountIn, amountOutMin, amountOutExpected, provider } = facts.route!
      const min = change.min ?? amountOutMin
      const route = { ...facts.route!, amountIn: change.amountIn ?? amountIn }
      const of = (name: string, least: string, most: string): Candidate => ({
        provider: name,
        amountOutMin: least,
        amountOutExpected: most,
        ...heard,
        quotedAt: 7,
      })
      const candidates = [of(provider, amountOutMin, amountOutExpected), of('relay', min, min)]
      return sealedOffers(seals, change.id ?? id, { route, candidates })
    }
    const by = (candidates: Candidate[]) => {
      const { id, ...rest } = poorly(9_900n, { candidates })
      return signerOf({ appraiser: unknown, seals: { ...seals, isGood: isGoodOf('offer') } })
        .sign({ id, ...rest }, deadline)
        .then(
          () => 'signed',
          (error) => (error.cause as Error).message,
        )
    }
    test('is signed if another provider promised the same', async () => {
      expect(await by(offered(9_900n))).toBe('signed')
      expect(await by(offered(9_900n, { min: '2' }))).toMatch(/UNPRICED/)
    })

    testAll<[string, Candidate[]]>([
      ['that nobody made', offered(9_900n).map(({ seal: _, ...each }) => each)],
      [
        'with rewritten amounts',
        offered(9_900n, { min: '2' }).map(({ seal }, n) => ({ ...offered(9_900n)[n]!, seal: seal! })),
      ],
      ['under another provider’s name', offered(9_900n).map((each) => ({ ...each, provider: `${each.provider}-2` }))],
      ['of another time', offered(9_900n).map((each) => ({ ...each, quotedAt: 8 }))],
      ['of another execution', offered(9_900n, { id: 'another' })],
      ['for another amount', offered(9_900n, { amountIn: '1' })],
      ['received without the chosen one', offered(9_900n).slice(1)],
    ])('is not signed if the offers were not made so, or not all were received', async (_what, candidates) => {
      expect(await by(candidates)).toMatch(/UNPRICED/)
    })
  })

  test('a direct payment needs no price', async () => {
    const nobody = appraising(() => {
      throw new Error('asked')
    })
    expect(await signing(signable({ kind: 'DIRECT', gasFeeRaw: 0n }), nobody)).toBe('signed')
  })
})

describe('a gas fee', () => {
  test('is refused at 98 % of a deposit, and signed at the cost of the gas', async () => {
    expect(await signing(taking(24_500_000n))).toMatch(/gas fee of 24500000 of 25000000 is POOR/)
    // At 1 gwei and 3,000 USD, 400,000 gas cost 1.2 USD. The limit is three times that, plus 3 USD for a rollup's data.
    expect(await signing(taking(6_600_001n))).toBe('signed')
    expect(await signing(taking(6_600_002n))).toMatch(/POOR/)
    expect(await signing(taking(24_500_000n), saying(), 30n * 10n ** 9n)).toBe('signed')
  })

  test('is bounded by the kind of the order, whatever gas limit the worker states', async () => {
    // At 1 gwei and 3,000 dollars, three times 400,000 gas and a rollup's data cost 6.6 dollars; 2,000,000 gas cost 21.
    const fee = (kind: 'DIRECT' | 'SWAP' | 'BRIDGE', gasFeeRaw: bigint, gasLimit: string) => {
      const execution = signable({ kind, gasFeeRaw, totalRaw: 46_000_000n, protocolFeeBps: 0 })
      return signing({ ...execution, facts: { ...execution.facts, gasLimit } })
    }
    expect(await fee('DIRECT', 3_500_000n, '5000000')).toBe('signed')
    expect(await fee('DIRECT', 8_000_000n, '5000000')).toMatch(/gas fee of .* is POOR/)
    for (const kind of ['SWAP', 'BRIDGE'] as const) {
      expect(await fee(kind, 17_000_000n, '8000000')).toBe('signed')
      expect(await fee(kind, 25_000_000n, '8000000')).toMatch(/gas fee of .* is POOR/)
    }
  })

  test('may take the share that the policy leaves to a route if it has no price, and waits above that', async () => {
    const unpriced = saying({ [zeroAddress]: [] })
    expect(await signing(taking(750_000n), unpriced)).toBe('signed')
    expect(await signing(taking(750_001n), unpriced)).toMatch(/UNPRICED/)
    const { route, balance } = taking(900_000n).facts
    const { totalReceivedRaw } = balance!
    const worthApproval = { amountOutMin: route!.amountOutMin, totalReceivedRaw, at: 1 }
    expect(await signing(taking(900_000n, { worthApproval }), unpriced)).toBe('signed')
  })
})

test('a gas fee may also pay for a mint, but only for a provider that only attests', async () => {
  const execution = poorly(9_900n)
  const terms = await signerOf().draft(execution, deadline)
  const [how, fee] = [{ gasLimit: 400_000n, shareBps: 9_700 }, async () => ({ feeCap: 10n ** 9n, tip: 1n })]
  const assured = (provider: string, gasFee: bigint) => {
    const route = { ...execution.facts.route!, provider }
    const by = { ...execution, facts: { ...execution.facts, route } }
    return assureWorth(by, { ...terms, gasFee: String(gasFee) }, how, { appraiser: saying(), fee }).then(
      () => 'assured',
      () => 'refused',
    )
  }
  // Three times 400,000 gas cost 3.60 dollars, a rollup's data at most 3, and three times 200,000 more 1.80.
  const tried = await Promise.all([assured('lifi', 6_600_000n), assured('lifi', 6_700_000n)])
  expect(tried).toEqual(['assured', 'refused'])
  const minted = await Promise.all([assured('cctp', 8_400_000n), assured('cctp', 8_500_000n)])
  expect(minted).toEqual(['assured', 'refused'])
})

test('a native fee above a tenth of the routed amount is refused', async () => {
  const execution = poorly(9_900n)
  const terms = await signerOf().draft(execution, deadline)
  const fee = async () => ({ feeCap: 1n, tip: 1n })
  const assured = (nativeFee: bigint) =>
    assureWorth(execution, { ...terms, nativeFee: String(nativeFee) }, how, { appraiser: saying(), fee })
  const how = { gasLimit: 400_000n, shareBps: 9_700 }
  await assured(8n * 10n ** 14n)
  await expect(assured(9n * 10n ** 14n)).rejects.toMatchObject({
    waitingFor: 'WORTH',
    cause: { message: expect.stringMatching(/native fee of 900000000000000 wei is POOR/) },
  })
})
