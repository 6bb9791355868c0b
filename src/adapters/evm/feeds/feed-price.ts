import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address, Hex } from '../../../domain/chain/hex'
import type { PriceFeed } from '../../../domain/money/price-feeds'
import { asBytes } from '../rpc/answers'
import { isRevert } from '../rpc/error'
import type { Ask } from '../rpc/json-rpc'
import { feedAbi as abi, multicall3 } from './feed-abi'
import { feedSilence } from './feed-rounds'

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
    const isHere = (results: Said[] | null) => results?.[0]?.said === BigInt(chainId)
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

  async function priceIn({ address, pairs, heartbeatSeconds }: PriceFeed, time: Said, of: Said[]) {
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
type Said = { said: unknown }

/** Returns the results of the views in their order, or null if nothing answered. */
function resultsIn(answer: unknown): Said[] | null {
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
