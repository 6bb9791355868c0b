import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { aged } from '../../domain/aged'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hex } from '../../domain/chain/hex'
import type { ChainClient, CircleStatus } from '../../ports/chain-client'
import { circleStatusAbi as abi } from '../../protocols/cctp/answers'
import { messageTransmitter, tokenMessenger, tokenMinter } from '../../protocols/cctp/burn'
import { usdcOf } from '../../protocols/lifi/diamond'
import { feedAbi, multicall3 } from './feeds/feed-abi'
import { asBytes } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

/**
 * How long an answer is shared, in milliseconds. A route is quoted and signed within seconds, and both steps share one
 * answer. After a refusal, the next call reads again.
 */
const sharedMs = 10_000
const accountsMax = 10_000

/** Reads the state of Circle's contracts for an address in one request. */
export function circleStatus(ask: Ask, chainId: ChainId): Pick<ChainClient, 'circleStatus'> {
  const usdc = usdcOf(chainId)
  const paused = encodeFunctionData({ abi, functionName: 'paused' })
  const burnLimit = encodeFunctionData({ abi, functionName: 'burnLimitsPerMessage', args: [usdc] })

  async function read(account: Address): Promise<CircleStatus | null> {
    const queries: [Address, Hex][] = [
      [usdc, paused],
      [tokenMinter, paused],
      [messageTransmitter, paused],
      [usdc, encodeFunctionData({ abi, functionName: 'isBlacklisted', args: [account] })],
      [tokenMessenger, encodeFunctionData({ abi, functionName: 'isDenylisted', args: [account] })],
      [tokenMinter, burnLimit],
    ]
    const calls = queries.map(([target, callData]) => ({ target, allowFailure: true, callData }))
    const data = encodeFunctionData({ abi: feedAbi, functionName: 'aggregate3', args: [calls] })
    const answer = await ask('eth_call', [{ to: multicall3, data }, 'latest']).catch((error) => {
      if (isRevert(error)) return '0x'
      throw error
    })
    const words = wordsIn(asBytes(answer))
    if (words?.length !== queries.length || words.includes(null)) return null
    const [isStill, isMinterStill, isTransmitterStill, isBlacklisted, isDenylisted, burnLimitRaw] = words as bigint[]
    return {
      isPaused: [isStill, isMinterStill, isTransmitterStill].some((word) => word !== 0n),
      isBlacklisted: isBlacklisted !== 0n,
      isDenylisted: isDenylisted !== 0n,
      burnLimitRaw: burnLimitRaw!,
    }
  }

  const isOpen = (said: CircleStatus | null): boolean =>
    said !== null && !said.isPaused && !said.isBlacklisted && !said.isDenylisted
  const statuses = aged(read, {
    ...{ now: () => performance.now(), forMs: (said) => (isOpen(said) ? sharedMs : 0), from: 'END' },
    most: accountsMax,
  })
  return { circleStatus: (account) => statuses.get(account) }
}

/** Returns the word of each call, with null for a failed call. Returns null if nothing answered. */
function wordsIn(answer: Hex): (bigint | null)[] | null {
  try {
    const results = decodeFunctionResult({ abi: feedAbi, functionName: 'aggregate3', data: answer })
    return results.map(({ success, returnData }) => (success && returnData.length === 66 ? BigInt(returnData) : null))
  } catch {
    return null
  }
}
