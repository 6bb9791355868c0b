import { toEventSelector } from 'viem/utils'
import type { Hash } from '../../domain/chain/hex'
import type { Transfer } from '../../ports/chain-client'
import { asAddress, asHash, asList, asNumber, asObject, asWord, fromTopic } from './rpc/answers'

export type Log = Record<string, unknown> & { topics: unknown[] }

export const transferTopic: Hash = toEventSelector('Transfer(address,address,uint256)')

export function logOf(value: unknown): Log {
  const log = asObject(value)
  return { ...log, topics: asList(log['topics']) }
}

/** Returns null unless the log is a valid ERC-20 transfer, which has three topics. An ERC-721 transfer has four. */
function transferOf(log: Log): Transfer | null {
  const { topics, data, removed } = log
  if (topics.length !== 3 || topics[0] !== transferTopic || removed === true) return null
  if (typeof data !== 'string' || data.length !== 66) return null
  return {
    token: asAddress(log['address']),
    // The checksum of an address costs a hash, so it is computed on access: nearly all transfers belong to others.
    get from() {
      return fromTopic(topics[1])
    },
    to: fromTopic(topics[2]),
    amountRaw: asWord(data),
    txHash: asHash(log['transactionHash']),
    logIndex: asNumber(log['logIndex']),
    block: asNumber(log['blockNumber']),
    blockHash: asHash(log['blockHash']),
  }
}

export const transfersIn = (logs: readonly Log[]): Transfer[] =>
  logs.map(transferOf).filter((transfer) => transfer !== null)

export const logsIn = (receipt: Record<string, unknown>): Log[] => asList(receipt['logs']).map(logOf)
