import { aged } from '../../domain/aged'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import { type Address, type Hex, isDelegation, zeroAddress } from '../../domain/chain/hex'
import type { Fee } from '../../domain/chain/relayer'
import { KeyDelegated } from '../../domain/unavailable'
import type { ChainClient, SecondNode } from '../../ports/chain-client'
import type { Telemetry } from '../../ports/observing'
import { noTelemetry } from '../no-telemetry'
import { acceptance } from './acceptance'
import { arrivals } from './arrivals'
import { balances, tokenMetadata } from './balances'
import { circleStatus } from './circle-status'
import { estimate } from './estimate'
import { headSharedMs, heads } from './heads'
import { holders } from './holders'
import { logReader } from './log-reader'
import { transfersIn, transferTopic } from './logs'
import { mints } from './mints'
import { payers } from './payers'
import { receipts } from './receipts'
import { recoveryCheck } from './recovery-check'
import { routeUse } from './route-use'
import { asAddress, asAmount, asBytes, asList, asNumber, asObject, toQuantity, toTopic } from './rpc/answers'
import { meaningIn } from './rpc/error'
import type { Ask } from './rpc/json-rpc'
import { nodes } from './rpc/nodes'
import { quorum } from './rpc/quorum'

export type EvmChain = {
  chainId: ChainId
  /** The nodes in order of preference. */
  rpcUrls: readonly string[]
  confirmations: number
  registry: Address
  executor: Address
  /** The module that refunds tokens that the executor cannot move. Null if there is none. */
  recoveryExecutor?: Address | null
  /** Replaced executors of either kind. Routes that they executed still count. */
  formerExecutors?: readonly Address[]
  lens: Address
  /** The process's clock. No accepted block time is later. */
  now: () => number
  timeoutMs?: number
  /** Maximum age of the head that all callers in this process share, in milliseconds. */
  sharedMs?: number
  /** Usual block time in milliseconds, used to predict when to read a block. Without it, blocks are polled. */
  blockMs?: number
  telemetry?: Telemetry | undefined
}

type Registered = Parameters<typeof routeUse>[2]

const timeoutMsDefault = 5_000
/** Minimum reuse of a suggested tip, in milliseconds. If blocks take longer, the tip is reused for one block. */
const tipSharedMs = 1_000

/** One EVM chain over JSON-RPC. Values at a block are read at exactly that block, and no call is repeated. */
export function evmChain(chain: EvmChain): ChainClient {
  const { chainId, rpcUrls, confirmations, registry, executor, lens, now } = chain
  const { recoveryExecutor = null, formerExecutors = [] } = chain
  const { timeoutMs = timeoutMsDefault, sharedMs = headSharedMs, telemetry = noTelemetry } = chain
  const ask = nodes({ chainId, rpcUrls, timeoutMs, isAnswer: isTaken, telemetry })
  const at = heads(ask, confirmations, { now, sharedMs, blockMs: chain.blockMs ?? 0 })
  const tip = suggestedTip(ask, chainId)
  const balanceOf = balances(ask)
  const coins = aged((account: Address) => balanceOf(zeroAddress, account, 'latest'), { ...elapsed, forMs: sharedMs })
  const logs = logReader(ask)
  // A separate reader keeps the many logs of arbitrary tokens from shortening the block ranges of the listed tokens.
  const anyLogs = logReader(ask)

  const current = recoveryExecutor ? [executor, recoveryExecutor] : [executor]
  const registered = { chainId, registry, executors: [...current, ...formerExecutors] }
  const { arrived, untilArrivedMs } = arrivals(ask, at)
  const { noteEvent, ...routes } = routeUse(ask, logs, registered, at)
  return {
    chainId,
    confirmations,
    second: secondOf(chain, registered),
    async head(maxAgeMs) {
      const { number, hash, time } = await at.head(maxAgeMs)
      return { number, hash, time }
    },
    confirmed: at.confirmed,
    confirmedNumber: at.confirmedNumber,
    blockAt: (number, hash) => at.blockAt(number, hash === undefined ? hash : { isOf: hash, proves: 'NODE' }),
    async assureChain() {
      await ask('eth_chainId', [])
    },
    balanceOf,
    nativeBalance: (account) => coins.get(account),
    canRecover: recoveryCheck(ask, { executor, recoveryExecutor }),
    ...routes,
    ...mints(ask, logs, chainId, at),
    ...circleStatus(ask, chainId),
    ...acceptance(ask),
    untilConfirmedMs: async (what) => (typeof what === 'number' ? at.untilConfirmedMs(what) : untilArrivedMs(what)),
    isDelegated: async (key) => isDelegation(asBytes(await ask('eth_getCode', [key, 'latest']))),
    isDeployed: async (account) => isContractCode(asBytes(await ask('eth_getCode', [account, 'latest']))),
    async minedNonces(sender, block) {
      const tag = block === undefined ? 'latest' : toQuantity(block)
      return asNumber(await ask('eth_getTransactionCount', [sender, tag]))
    },
    fee: feeBy(at.head, tip.get),
    estimate: estimate(ask, { chainId, executor, recoveryExecutor, head: at.head, tip: tip.get }),
    ...receipts(ask, at, registered.executors, noteEvent),
    send: broadcast(ask),
    async transfers(tokens, fromBlock, toBlock) {
      if (tokens.length === 0 || fromBlock > toBlock) return []
      return transfersIn(await logs.all({ address: tokens, topics: [transferTopic] }, fromBlock, toBlock))
    },
    async transfersTo(recipients, fromBlock, toBlock) {
      if (recipients.length === 0 || fromBlock > toBlock) return []
      const topics = [transferTopic, null, recipients.map(toTopic)]
      return transfersIn(await anyLogs.all({ topics }, fromBlock, toBlock))
    },
    hasTransaction: async (hash) => (await ask('eth_getTransactionByHash', [hash])) !== null,
    async nativeRecipients(fromBlock, toBlock) {
      const numbers = Array.from({ length: Math.max(0, toBlock - fromBlock + 1) }, (_, n) => fromBlock + n)
      const blocks = await Promise.all(numbers.map((n) => ask('eth_getBlockByNumber', [toQuantity(n), true])))
      return [...new Set(blocks.flatMap(recipientsIn))]
    },
    ...payers(ask),
    ...holders(ask, lens),
    arrived,
    tokenMetadata: tokenMetadata(ask),
  }
}

const elapsed = { now: () => performance.now(), from: 'END' } as const

const suggestedTip = (ask: Ask, chainId: ChainId) => {
  const { tipMaxWei, blockSeconds } = chainOf(chainId)
  const read = async () => {
    const advised = asAmount(await ask('eth_maxPriorityFeePerGas', []))
    return advised < tipMaxWei ? advised : tipMaxWei
  }
  return aged(read, { ...elapsed, forMs: Math.max(tipSharedMs, blockSeconds * 1_000) })
}

const feeBy = (head: ReturnType<typeof heads>['head'], tip: () => Promise<bigint>) => async (): Promise<Fee> => {
  const [{ baseFee }, tipWei] = await Promise.all([head(), tip()])
  return { feeCap: 2n * baseFee + tipWei, tip: tipWei }
}

/** Returns a reader that requires two agreeing nodes, or null if fewer than two nodes are configured. */
function secondOf(chain: EvmChain, registered: Registered): SecondNode | null {
  const { chainId, rpcUrls, confirmations, executor, recoveryExecutor = null, now } = chain
  const { timeoutMs = timeoutMsDefault, telemetry = noTelemetry } = chain
  if (rpcUrls.length < 2) return null
  const alone = (url: string): SecondNode => {
    const ask = nodes({ chainId, rpcUrls: [url], timeoutMs, isAnswer: isTaken, telemetry })
    const at = heads(ask, confirmations, { now })
    const { routeUsed } = routeUse(ask, logReader(ask), registered, at)
    const { receipt, revertReason } = receipts(ask, at, registered.executors)
    const { arrived } = arrivals(ask, at)
    const tip = suggestedTip(ask, chainId)
    return {
      confirmed: at.confirmed,
      balanceOf: balances(ask),
      ...{ routeUsed, arrived, receipt, revertReason },
      ...circleStatus(ask, chainId),
      ...acceptance(ask),
      canRecover: recoveryCheck(ask, { executor, recoveryExecutor }),
      tokenMetadata: tokenMetadata(ask),
      fee: feeBy(at.head, tip.get),
      estimate: estimate(ask, { chainId, executor, recoveryExecutor, head: at.head, tip: tip.get }),
    }
  }
  return quorum(rpcUrls.map(alone))
}

function recipientsIn(block: unknown): Address[] {
  const transactions = asList(asObject(block)['transactions']).map(asObject)
  return transactions.flatMap(({ to, value }) => (to && asAmount(value) > 0n ? [asAddress(to)] : []))
}

/** The code of a delegated wallet (EIP-7702) only names another contract, and the wallet's key still works. */
const isContractCode = (code: Hex): boolean => code !== '0x' && !code.toLowerCase().startsWith('0xef0100')

const isTaken = (error: unknown): boolean => meaningIn(error) === 'TAKEN'

/**
 * Sends a signed transaction. Succeeds if the node already has it.
 *
 * @throws {KeyDelegated} if the node holds a different transaction of the key and accepts one at a time.
 */
const broadcast =
  (ask: Ask) =>
  async (bytes: Hex): Promise<void> => {
    await ask('eth_sendRawTransaction', [bytes]).catch((error) => {
      if (!isTaken(error)) throw meaningIn(error) === 'DELEGATED' ? new KeyDelegated({ cause: error }) : error
    })
  }
