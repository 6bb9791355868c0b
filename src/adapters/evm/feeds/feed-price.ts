import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { aged } from '../../../domain/aged'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address, Hex } from '../../../domain/chain/hex'
import type { PriceFeed } from '../../../domain/money/price-feeds'
import { asBytes } from '../rpc/answers'
import { isRevert } from '../rpc/error'
import type { Ask } from '../rpc/json-rpc'
import { feedAbi as abi, feedAbi, multicall3 } from './feed-abi'

const ofChain = ['getChainId', 'getCurrentBlockTimestamp'] as const
const ofFeed = ['latestRoundData', 'description', 'decimals'] as const
type View = (typeof ofChain)[number] | (typeof ofFeed)[number]

/** Tolerance in seconds. Blocks and answers use different clocks, and a heartbeat may be a little late. */
const lateSeconds = 900n
const usdDecimals = 8

/**
 * Reads the prices of several feeds in one call at one block: USD with 8 decimals. A price is null if the feed is
 * missing or the wrong one, or if its answer is too old. Two limits apply: the documented heartbeat, and the silence
 * that the feed's own rounds allow. The call also reads the chain id, so the answer itself proves its chain.
 */
export function feedPrices(ask: Ask, chainId: ChainId) {
  const silenceOf = feedSilence(ask)

  return async (feeds: readonly PriceFeed[]): Promise<(bigint | null)[]> => {
    const calls = [
      ...ofChain.map((view) => callOf(multicall3, view)),
      ...feeds.flatMap(({ address }) => ofFeed.map((view) => callOf(address, view))),
    ]
    const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
    const isHere = (results: FeedAnswer[] | null) => results?.[0]?.said === BigInt(chainId)
    const proof = (answer: unknown) => (isHere(resultsIn(answer)) ? 'ANSWER' : null)
    const answer = await ask('eth_call', [{ to: multicall3, data }, 'latest'], proof).catch((error) => {
      if (isRevert(error)) return '0x'
      throw error
    })
    const results = resultsIn(asBytes(answer))
    return Promise.all(
      feeds.map((feed, n) => {
        const from = ofChain.length + n * ofFeed.length
        return results && isHere(results) ? priceIn(feed, results[1]!, results.slice(from, from + ofFeed.length)) : null
      }),
    )
  }

  async function priceIn({ address, pairs, heartbeatSeconds }: PriceFeed, time: FeedAnswer, of: FeedAnswer[]) {
    const [round, description, decimals] = of.map(({ said }) => said) as [
      readonly bigint[] | null,
      string,
      number | null,
    ]
    const now = time.said as bigint | null
    if (!round || now === null || decimals === null || decimals > 36 || !pairs.includes(description)) return null
    const [id, answer, , updatedAt] = round as [bigint, bigint, bigint, bigint]
    if (answer <= 0n || updatedAt > now + lateSeconds) return null
    const age = now - updatedAt
    if (age > BigInt(heartbeatSeconds) + lateSeconds) return null
    // An answer this recent is fresh in any case and needs no further call.
    const silence = age > lateSeconds ? await silenceOf(address, id) : null
    if (silence !== null && age > BigInt(silence) + lateSeconds) return null
    const shift = usdDecimals - decimals
    return shift >= 0 ? answer * 10n ** BigInt(shift) : answer / 10n ** BigInt(-shift)
  }
}

const callOf = (target: Address, functionName: View) => ({
  target,
  allowFailure: true,
  callData: encodeFunctionData({ abi, functionName }),
})

/** Result of one view. Null if the contract does not exist or is a different one. */
type FeedAnswer = { said: unknown }

/** Returns the results of the views in their order, or null if nothing answered. */
function resultsIn(answer: unknown): FeedAnswer[] | null {
  try {
    const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: asBytes(answer) })
    return results.map(({ success, returnData }, n) => ({ said: success ? saidIn(viewAt(n), returnData) : null }))
  } catch {
    return null
  }
}

const viewAt = (n: number): View => ofChain[n] ?? ofFeed[(n - ofChain.length) % ofFeed.length]!

function saidIn(functionName: View, data: Hex): unknown {
  try {
    return decodeFunctionResult({ abi, functionName, data })
  } catch {
    return null
  }
}

/**
 * Each of these rounds is compared with the round before it. The latest rounds alone might show a volatile hour. A feed
 * also updates when its price moves, and follows its heartbeat only in quiet times.
 */
const roundsBack = [0n, 1n, 2n, 3n, 4n, 5n, 10n, 20n, 50n, 100n, 300n, 1_000n]
/** Fewer pauses than this are too few to learn from. */
const pausesMin = 4
/** Allows for quieter times than the sampled ones. */
const margin = 3
const learnedForMs = 3_600_000

/**
 * Learns from a feed's own rounds how long it may go without an update: three times the longest pause between two
 * rounds, in seconds. Null if the feed has too few rounds or does not expose them. Cached for an hour.
 */
export function feedSilence(ask: Ask) {
  const learned = aged(learn, {
    ...{ now: () => performance.now(), forMs: (seconds) => (seconds === null ? 0 : learnedForMs), from: 'END' },
    keyOf: ([feed]) => feed,
  })
  return (feed: Address, latestRound: bigint): Promise<number | null> => learned.get([feed, latestRound])

  async function learn([feed, latestRound]: [Address, bigint]): Promise<number | null> {
    const pauses = await pausesOf(feed, latestRound)
    return pauses.length < pausesMin ? null : margin * Math.max(...pauses)
  }

  async function pausesOf(feed: Address, latestRound: bigint): Promise<number[]> {
    const rounds = [...new Set(roundsBack.flatMap((back) => [latestRound - back, latestRound - back - 1n]))]
    const calls = rounds.map((round) => ({
      target: feed,
      allowFailure: true,
      callData: encodeFunctionData({ abi: feedAbi, functionName: 'getRoundData', args: [round > 0n ? round : 0n] }),
    }))
    const data = encodeFunctionData({ abi: feedAbi, functionName: 'aggregate3', args: [calls] })
    const bytes = asBytes(
      await ask('eth_call', [{ to: multicall3, data }, 'latest']).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      }),
    )
    return pausesIn(timesIn(bytes, rounds))
  }
}

/** Returns the time of each round whose answer names that round. */
function timesIn(bytes: `0x${string}`, rounds: readonly bigint[]): Map<bigint, number> {
  const times = new Map<bigint, number>()
  try {
    const results = decodeFunctionResult({ abi: feedAbi, functionName: 'aggregate3', data: bytes })
    for (const [n, { success, returnData }] of results.entries()) {
      if (!success) continue
      const [round, , , updatedAt] = decodeFunctionResult({
        abi: feedAbi,
        functionName: 'getRoundData',
        data: returnData,
      })
      if (round === rounds[n] && updatedAt > 0n) times.set(round, Number(updatedAt))
    }
  } catch {
    // There is no such contract.
  }
  return times
}

function pausesIn(times: ReadonlyMap<bigint, number>): number[] {
  return [...times].flatMap(([round, at]) => {
    const before = times.get(round - 1n)
    return before === undefined || before > at ? [] : [at - before]
  })
}
