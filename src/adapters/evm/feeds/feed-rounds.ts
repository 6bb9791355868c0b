import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { aged } from '../../../domain/aged'
import type { Address } from '../../../domain/chain/hex'
import { asBytes } from '../rpc/answers'
import { isRevert } from '../rpc/error'
import type { Ask } from '../rpc/json-rpc'
import { feedAbi, multicall3 } from './feed-abi'

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
