import { decodeEventLog, getAbiItem, toEventSelector } from 'viem/utils'
import { recoveryExecutorAbi } from '../../../contracts/artifacts/abi'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { AccountHistory, Move, RecoveryFact, RouteFact } from '../../ports/audit'
import type { Telemetry } from '../../ports/observing'
import { noTelemetry } from '../no-telemetry'
import { type LogFilter, logReader } from './log-reader'
import { type Log, transfersIn, transferTopic } from './logs'
import { routeExecuted } from './route-use'
import { asAmount, asBytes, asHash, asNumber, asObject, toTopic } from './rpc/answers'
import { nodes } from './rpc/nodes'

type Settings = {
  chainId: ChainId
  rpcUrls: readonly string[]
  /** The RouteExecutor, the RecoveryExecutor, and those that they replaced. */
  executors: readonly Address[]
  timeoutMs: number
  telemetry?: Telemetry
}

const recoveredEvent = getAbiItem({ abi: recoveryExecutorAbi, name: 'Recovered' })
const [routeTopic, recoveryTopic]: Hash[] = [toEventSelector(routeExecuted), toEventSelector(recoveredEvent)]
/** Number of recipients that nodes accept in one topic. */
const topicsMax = 1_000

/** Reads the history of accounts from the logs of one chain. */
export function accountHistory({
  chainId,
  rpcUrls,
  executors,
  timeoutMs,
  telemetry = noTelemetry,
}: Settings): AccountHistory {
  const ask = nodes({ chainId, rpcUrls, timeoutMs, isAnswer: () => false, telemetry })
  // Each kind of filter learns its own range of blocks.
  const readers = {
    in: logReader(ask),
    out: logReader(ask),
    routes: logReader(ask),
    recoveries: logReader(ask),
    executed: logReader(ask),
  }

  async function each(
    reader: keyof typeof readers,
    accounts: readonly Address[],
    filterOf: (topics: Hash[]) => LogFilter,
    [from, to]: readonly [number, number],
  ): Promise<Log[]> {
    const pages: Log[][] = []
    for (let n = 0; n < accounts.length && from <= to; n += topicsMax) {
      const topics = accounts.slice(n, n + topicsMax).map(toTopic)
      pages.push(await readers[reader].all(filterOf(topics), from, to))
    }
    return pages.flat()
  }

  return {
    async moves(accounts, ...blocks) {
      const [into, out] = await Promise.all([
        each('in', accounts, (topics) => ({ topics: [transferTopic, null, topics] }), blocks),
        each('out', accounts, (topics) => ({ topics: [transferTopic, topics] }), blocks),
      ])
      // A transfer between two of the accounts is in both.
      const moves = transfersIn([...into, ...out]).map(moveOf)
      return [...new Map(moves.map((move) => [`${move.txHash}:${move.logIndex}`, move])).values()]
    },
    async routes(accounts, ...blocks) {
      const filter = (topics: Hash[]) => ({ address: executors, topics: [routeTopic!, null, topics] })
      return (await each('routes', accounts, filter, blocks)).map(routeOf)
    },
    async recoveries(accounts, ...blocks) {
      const filter = (topics: Hash[]) => ({ address: executors, topics: [recoveryTopic!, null, topics] })
      return (await each('recoveries', accounts, filter, blocks)).map(recoveryOf)
    },
    async executed(fromBlock, toBlock) {
      const filter = { address: executors, topics: [[routeTopic!, recoveryTopic!]] }
      const logs = fromBlock > toBlock ? [] : await readers.executed.all(filter, fromBlock, toBlock)
      const [routes = [], recoveries = []] = [routeTopic, recoveryTopic].map((topic) =>
        logs.filter(({ topics }) => topics[0] === topic),
      )
      return { routes: routes.map(routeOf), recovered: recoveries.map((log) => recoveryOf(log).account) }
    },
    async gasOf(txHash) {
      const { gasUsed, effectiveGasPrice, l1Fee } = asObject(await ask('eth_getTransactionReceipt', [txHash]))
      // On Base the fee for the data comes on top. The other chains name no such fee.
      return asAmount(gasUsed) * asAmount(effectiveGasPrice) + (l1Fee === undefined ? 0n : asAmount(l1Fee))
    },
  }
}

const moveOf = ({ token, from, to, amountRaw, txHash, logIndex, block }: Move): Move => ({
  token,
  from,
  to,
  amountRaw,
  txHash,
  logIndex,
  block,
})

const placeOf = (log: Log) => ({ txHash: asHash(log['transactionHash']), block: asNumber(log['blockNumber']) })
const encoded = (log: Log) => ({
  data: asBytes(log['data']),
  topics: log.topics.map(asHash) as [Hash, ...Hash[]],
})

function routeOf(log: Log): RouteFact {
  const { args } = decodeEventLog({ abi: [routeExecuted], ...encoded(log) })
  return {
    routeId: args.routeId,
    account: args.account,
    token: args.token,
    spentRaw: args.spent,
    protocolFeeRaw: args.protocolFee,
    gasFeeRaw: args.gasFee,
    nativeFeeRaw: args.nativeFee - args.nativeReturned,
    recipient: args.intent.recipient,
    collector: args.collector,
    relayer: args.relayer,
    ...placeOf(log),
  }
}

function recoveryOf(log: Log): RecoveryFact {
  const { args } = decodeEventLog({ abi: [recoveredEvent], ...encoded(log) })
  return { account: args.account, token: args.asset, amountRaw: args.recovery.amount, ...placeOf(log) }
}
