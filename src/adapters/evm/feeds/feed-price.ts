import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Hex } from '../../../domain/chain/hex'
import type { PriceFeed } from '../../../domain/money/price-feeds'
import { asBytes } from '../rpc/answers'
import { isRevert } from '../rpc/error'
import type { Ask } from '../rpc/json-rpc'
import { feedAbi as abi, multicall3 } from './feed-abi'
import { feedSilence } from './feed-rounds'

type View = 'latestRoundData' | 'description' | 'decimals' | 'getCurrentBlockTimestamp'
const views: readonly View[] = ['latestRoundData', 'description', 'decimals', 'getCurrentBlockTimestamp']

/** Blocks and answers are timed by different clocks, and a heartbeat may be a little late. */
const lateSeconds = 900n
const usdDecimals = 8

/**
 * Reads the price of a feed in one call at one block: USD with 8 decimals. Null when there is no feed, when it is the
 * wrong feed, or when its answer is older than its heartbeat, both the documented one and the one that its own rounds
 * show.
 */
export function feedPrice(ask: Ask) {
  const silenceOf = feedSilence(ask)

  return async ({ address, pairs, heartbeatSeconds }: PriceFeed): Promise<bigint | null> => {
    const calls = views.map((functionName) => ({
      target: functionName === 'getCurrentBlockTimestamp' ? multicall3 : address,
      allowFailure: true,
      callData: encodeFunctionData({ abi, functionName }),
    }))
    const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
    const bytes = asBytes(
      await ask('eth_call', [{ to: multicall3, data }, 'latest']).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      }),
    )
    const said = read(bytes)
    if (!said || !pairs.includes(said.description)) return null
    const { round, answer, updatedAt, decimals, now } = said
    if (answer <= 0n || updatedAt > now + lateSeconds) return null
    const age = now - updatedAt
    if (age > BigInt(heartbeatSeconds) + lateSeconds) return null
    // A recent answer is fresh by any measure and needs no further call.
    const silence = age > lateSeconds ? await silenceOf(address, round) : null
    if (silence !== null && age > BigInt(silence) + lateSeconds) return null
    const shift = usdDecimals - decimals
    return shift >= 0 ? answer * 10n ** BigInt(shift) : answer / 10n ** BigInt(-shift)
  }
}

function read(bytes: Hex) {
  try {
    const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: bytes })
    const [round, description, decimals, now] = results.map(({ success, returnData }, index) =>
      success ? decodeFunctionResult({ abi, functionName: views[index]!, data: returnData }) : null,
    ) as [readonly bigint[] | null, string | null, number | null, bigint | null]
    if (!round || description === null || decimals === null || now === null || decimals > 36) return null
    return { round: round[0]!, answer: round[1]!, updatedAt: round[3]!, description, decimals, now }
  } catch {
    return null // no contract there, or another one
  }
}
