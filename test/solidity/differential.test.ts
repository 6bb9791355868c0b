import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData, toHex } from 'viem'
import { decodeFunctionResult } from 'viem/utils'
import { devBridgeAbi, devTokenAbi, routeProbeAbi } from '../../contracts/artifacts/abi'
import { artifact } from '../../src/deploying/artifact'
import { type Anvil, startAnvil } from '../../src/devnet/chains/anvil'
import { chainIds } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { endpointIdOf, lifiDiamond, usdcOf, wrappedNativeAddressOf } from '../../src/protocols/lifi/diamond'
import { cctpRules } from '../../src/signer/cctp-burn'
import { limits, unusual } from '../../src/signer/function-rule'
import { lifiRules } from '../../src/signer/route-rules'
import { quoteTime } from '../support/diamond-calldata'
import { burnCases } from '../support/differential/burn-cases'
import { fromChainId, type RouteCase, recipient, routeCases, strangers } from '../support/differential/route-cases'
import { addressOf } from '../support/signable'
import { dice } from '../support/simulation/loop'
import { temporaryFolder } from '../support/temporary-folder'
import { until } from '../support/until'

/** DIFFERENTIAL_CASES=100000 for a long run. DIFFERENTIAL_SEED selects other cases. */
const caseCount = Number(process.env['DIFFERENTIAL_CASES'] ?? 2_000)
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 12)
const perCall = 30

const account = addressOf('the probe')
const swapToken = addressOf('a token')
const guards = Object.fromEntries(
  ['LifiAcrossGuard', 'LifiStargateGuard', 'LifiPolymerGuard', 'LifiSwapGuard', 'CctpBurnGuard'].map((name) => [
    name,
    addressOf(name),
  ]),
) as Record<string, Address>
const rules = new Map([...lifiRules(), ...cctpRules()].map((rule) => [rule.selector as string, rule]))
let chain: Anvil

beforeAll(async () => {
  const dir = temporaryFolder('differential')
  chain = await startAnvil({ key: 'base', id: fromChainId, dir, genesisTime: quoteTime })
  const put = (address: Address, name: string) =>
    chain.rpc.ask('anvil_setCode', address, artifact(name).deployedBytecode)
  await put(account, 'RouteProbe')
  await put(lifiDiamond, 'ProbeBridge')
  for (const [name, address] of Object.entries(guards)) await put(address, name)
  for (const token of [usdcOf(fromChainId), swapToken]) await put(token, 'DevToken')
  for (const funded of [account, lifiDiamond, strangers[0]])
    await chain.rpc.ask('anvil_setBalance', funded, toHex(10n ** 24n))
  const send = async (to: Address, data: Hex) => {
    const hash = await chain.rpc.ask('eth_sendTransaction', { from: strangers[0], to, data, gas: toHex(5_000_000) })
    const receipt = await until(
      `the receipt of ${hash}`,
      async (note) => note((await chain.rpc.ask('eth_getTransactionReceipt', hash)) as { status: Hex } | null),
      { everyMs: 1 },
    )
    expect(receipt.status).toBe('0x1')
  }
  await chain.rpc.ask('anvil_autoImpersonateAccount', true)
  const known = chainIds.map((chainId) => ({
    chainId: BigInt(chainId),
    endpointId: endpointIdOf(chainId),
    usdc: usdcOf(chainId),
  }))
  const bridge = { abi: devBridgeAbi, functionName: 'initialize', args: [strangers[0], known] } as const
  await send(lifiDiamond, encodeFunctionData(bridge))
  for (const token of [usdcOf(fromChainId), swapToken]) {
    await send(
      token,
      encodeFunctionData({ abi: devTokenAbi, functionName: 'initialize', args: ['T', 'T', 6, strangers[0]] }),
    )
    for (const holder of [account, lifiDiamond])
      await send(token, encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args: [holder, 10n ** 40n] }))
  }
})
afterAll(() => chain.stop())

const unreadable = 'cannot be decoded'

async function probed(cases: readonly RouteCase[]) {
  const asked = cases.map(({ data, demand }) => ({
    guard: guards[rules.get(data.slice(0, 10))?.guard ?? 'LifiSwapGuard']!,
    data,
    token: demand.token,
    amount: demand.amount,
    nativeFee: demand.nativeFee,
    intent: { ...demand, toChainId: BigInt(demand.toChainId) },
  }))
  const data = encodeFunctionData({ abi: routeProbeAbi, functionName: 'probe', args: [lifiDiamond, strangers, asked] })
  const call = { from: strangers[0], to: account, data, gas: toHex(59_000_000) }
  const answer = (await chain.rpc.ask('eth_call', call, 'latest')) as Hex
  return decodeFunctionResult({ abi: routeProbeAbi, functionName: 'probe', data: answer })
}

type Outcome = Awaited<ReturnType<typeof probed>>[0][number]

/** The harm of an executed call, or null. Measured on the chain, independent of the readers. */
function harmOf({ demand }: RouteCase, outcome: Outcome): string | null {
  const { spent, coinSpent, received, taken, lock, refundTo } = outcome
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const isCoin = demand.token === zeroAddress
  if (demand.toChainId === fromChainId)
    // The executor measures the output of a swap, and reverts if it is too small.
    return received >= demand.minOut && spent > demand.amount ? 'more is spent than was given' : null
  if (spent > demand.amount + (isCoin ? demand.nativeFee : 0n)) return 'more is spent than was given'
  if (coinSpent > demand.nativeFee) return 'more coin is spent than was given'
  if (taken * 10_000n > demand.amount * BigInt(limits.feeBpsMax)) return 'strangers take more than a fee'
  if (!same(lock.receiver, recipient)) return 'another recipient'
  if (lock.toChainId !== BigInt(demand.toChainId)) return 'another chain'
  const output = isCoin ? wrappedNativeAddressOf(demand.toChainId) : demand.tokenOut
  if (!same(lock.outputToken, output) && !(isCoin && same(lock.outputToken, demand.tokenOut))) return 'another token'
  if (lock.outputAmount < demand.minOut) return 'less than the minimum'
  if (lock.inputAmount * 10_000n < demand.amount * BigInt(10_000 - limits.feeBpsMax)) return 'a refund of less'
  // If Polymer's facet names no refund address, it is the caller.
  return same(refundTo, account) || same(refundTo, zeroAddress) ? null : 'a refund to somebody else'
}

test(`guard, signer and Diamond agree on ${caseCount} calls: a harmful call that one refuses is never carried out`, async () => {
  const make = routeCases(dice(seed), { account, bridge: lifiDiamond, time: quoteTime + 60 })
  const count = { accepted: 0, refused: 0, carried: 0, harmful: 0 }
  const wrong: object[] = []
  for (let done = 0; done < caseCount; done += perCall) {
    const cases = Array.from({ length: Math.min(perCall, caseCount - done) }, make)
    const [outcomes, time] = await probed(cases)
    for (const [n, one] of cases.entries()) {
      const outcome = outcomes[n]!
      const demand = { ...one.demand, time: Number(time) }
      const rule = rules.get(one.data.slice(0, 10))
      const objection = rule ? objectionOf(() => rule.objection(one.data, demand)) : 'is not listed'
      const isAccepted = objection === null
      const harm = outcome.carried ? harmOf(one, outcome) : null
      count[isAccepted ? 'accepted' : 'refused'] += 1
      if (outcome.carried) count.carried += 1
      if (harm) count.harmful += 1
      // The signer also refuses non-canonical encodings. Otherwise both agree.
      const isOdd = objection === unusual || objection === unreadable
      const isAsOne = isAccepted ? outcome.admitted : !outcome.admitted || isOdd
      if (!isAsOne || (harm && (isAccepted || outcome.admitted)))
        wrong.push({ objection, admitted: outcome.admitted, carried: outcome.carried, harm, ...one })
    }
  }
  console.log(`${caseCount} calls: ${JSON.stringify(count)}`)
  expect(wrong.slice(0, 3)).toEqual([])
  // The test would prove nothing without accepted calls, or without harmful refused ones.
  expect(count.accepted).toBeGreaterThan(caseCount / 20)
  expect(count.harmful).toBeGreaterThan(caseCount / 100)
})

test(`guard and signer agree on ${caseCount} burns by Circle's bridge`, async () => {
  const make = burnCases(dice(seed), { account, time: quoteTime + 60 })
  const [rule] = cctpRules()
  const wrong: object[] = []
  let accepted = 0
  for (let done = 0; done < caseCount; done += perCall) {
    const cases = Array.from({ length: Math.min(perCall, caseCount - done) }, make)
    const [outcomes] = await probed(cases)
    for (const [n, one] of cases.entries()) {
      const objection = objectionOf(() => rule!.objection(one.data, one.demand))
      const isListed = one.data.startsWith(rule!.selector)
      if (objection === null) accepted += 1
      // A burn has only one encoding, for the guard too, so no odd one is admitted.
      if (isListed && outcomes[n]!.admitted !== (objection === null)) wrong.push({ objection, ...one })
    }
  }
  expect(wrong.slice(0, 3)).toEqual([])
  expect(accepted).toBeGreaterThan(caseCount / 5)
  expect(accepted).toBeLessThan(caseCount / 1.5)
})

function objectionOf(ask: () => string | null): string | null {
  try {
    return ask()
  } catch {
    return unreadable
  }
}
