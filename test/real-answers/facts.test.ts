import { expect } from 'bun:test'
import { decodeFunctionData, encodeFunctionResult, toFunctionSelector } from 'viem'
import { estimate } from '../../src/adapters/evm/estimate'
import { feedAbi } from '../../src/adapters/evm/feeds/feed-abi'
import { feedSilence } from '../../src/adapters/evm/feeds/feed-price'
import { unspendableContracts } from '../../src/app/unspendable-contracts'
import { type ChainId, chains } from '../../src/domain/chain/chain'
import { type Address, type Hash, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { unspendable } from '../../src/domain/deposit/unspendable'
import type { Order } from '../../src/domain/execution/route'
import { priceFeedOf } from '../../src/domain/money/price-feeds'
import { pinnedTokens, TokenList } from '../../src/domain/money/token'
import { circleStatusAbi } from '../../src/protocols/cctp/answers'
import {
  domainOf,
  finality,
  leavesFast,
  messageTransmitter,
  messageTransmitterAbi,
  tokenMessenger,
  tokenMessengerAbi,
  tokenMinter,
} from '../../src/protocols/cctp/burn'
import { lifiDiamond } from '../../src/protocols/lifi/diamond'
import { relayChain, relayDepository, relaySolver } from '../../src/protocols/relay/relay-order'
import { lifiRules } from '../../src/signer/route-rules'
import { samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

type Fact = { fact: keyof typeof ours; chainId: ChainId; address: Address; selector: Hex; gas: number; answer: Hex } & {
  symbol: string
  pauseSeconds: number
}

const lower = (text: string) => text.toLowerCase()

const word: Hash = `0x${'1'.repeat(64)}`
const somebody: Address = `0x${'6'.repeat(40)}`
/** Any signed order. */
const order: Order = {
  id: word,
  routeId: word,
  accountSalt: word,
  account: somebody,
  chainId: chains.base.id,
  kind: 'BRIDGE',
  token: somebody,
  amountIn: '1',
  minSpent: '1',
  protocolFee: '0',
  gasFee: '0',
  collector: somebody,
  intent: { toChainId: chains.arbitrum.id, tokenOut: somebody, recipient: somebody, minOut: '1' },
  target: somebody,
  spender: somebody,
  nativeFee: '0',
  minGas: '1',
  deadline: 1,
  data: '0x',
  signature: `0x${'1'.repeat(128)}1b`,
  gasLimit: '1',
}

/** The estimate's calls to Base's fee oracle, for this gas. */
async function oracleCalls(gas: number, answer: Hex): Promise<Hex[]> {
  const calls: Hex[] = []
  const ask = async (method: string, [call]: readonly unknown[]) => {
    if (method === 'eth_estimateGas') return `0x${gas.toString(16)}`
    calls.push((call as { data: Hex }).data)
    return answer
  }
  const parts = {
    chainId: chains.base.id,
    executor: order.target,
    recoveryExecutor: null,
    head: async () => ({ baseFee: 1n }) as never,
    tip: async () => 1n,
  }
  await estimate(ask as never, parts)(order, order.account)
  return calls
}

/** Seconds until a feed with this pause between rounds is stale. */
async function silenceOf({ chainId, symbol, pauseSeconds }: Fact): Promise<number> {
  const token = pinnedTokens.find((one) => one.chainId === chainId && one.symbol === symbol)?.address ?? zeroAddress
  const feed = priceFeedOf(chainId, token)!
  const ask = async (_method: string, [{ data }]: readonly [{ data: Hex }]) => {
    const [calls] = decodeFunctionData({ abi: feedAbi, data }).args as unknown as [{ callData: Hex }[]]
    const results = calls.map(({ callData }) => {
      const [round] = decodeFunctionData({ abi: feedAbi, data: callData }).args as unknown as [bigint]
      const at = round * BigInt(pauseSeconds)
      const returnData = encodeFunctionResult({
        abi: feedAbi,
        functionName: 'getRoundData',
        result: [round, 1n, at, at, round],
      })
      return { success: true, returnData }
    })
    return encodeFunctionResult({ abi: feedAbi, functionName: 'aggregate3', result: results })
  }
  const shown = await feedSilence(ask as never)(feed.address, 100_000n)
  return Math.min(feed.heartbeatSeconds, shown!)
}

const isUnspendable = unspendable(
  unspendableContracts({
    registry: somebody,
    executor: somebody,
    recoveryExecutor: null,
    formerExecutors: [],
    lens: somebody,
    relaySolver,
  }),
  new TokenList([]),
)

const cctpFunctions = [...tokenMessengerAbi, ...messageTransmitterAbi, ...circleStatusAbi].filter(
  (entry) => entry.type === 'function',
)

/** The code's value of each fact. */
const ours = {
  PRICE_FEED: silenceOf,
  TOKEN: ({ chainId, address }: Fact) =>
    pinnedTokens.find((token) => token.chainId === chainId && lower(token.address) === lower(address))?.decimals,
  BRIDGE_CONTRACT: ({ address }: Fact) => isUnspendable(address),
  LIFI_DIAMOND: () => lifiDiamond,
  LIFI_FUNCTION: ({ selector }: Fact) => lifiRules().find((rule) => rule.selector === selector)?.kind,
  RELAY_DEPOSITORY: () => lower(relayDepository),
  RELAY_SOLVER: () => lower(relaySolver),
  RELAY_CHAIN: ({ chainId }: Fact) => relayChain(chainId),
  CCTP_DOMAIN: ({ chainId }: Fact) => domainOf(chainId),
  CCTP_FAST: ({ chainId }: Fact) => leavesFast(chainId),
  CCTP_TOKEN_MESSENGER: () => tokenMessenger,
  CCTP_MESSAGE_TRANSMITTER: () => messageTransmitter,
  CCTP_TOKEN_MINTER: () => tokenMinter,
  CCTP_FUNCTION: ({ selector }: Fact) => cctpFunctions.find((entry) => toFunctionSelector(entry) === selector)?.name,
  CCTP_FINALITY: () => finality,
  GAS_ORACLE_CALL: async ({ gas, answer }: Fact) =>
    (await oracleCalls(gas, answer)).find((data) => data.length === 2 + 8 + 64),
  GAS_ORACLE_FUNCTION: async () =>
    (await oracleCalls(1, `0x${'0'.repeat(64)}`)).find((data) => data.length > 2 + 8 + 64)?.slice(0, 10),
}

const samples = await samplesIn<Fact & { reads: unknown }>('facts')

testAll(samples)('the code’s value matches every recorded fact', async (_name, sample) => {
  const read: unknown = await ours[sample.fact](sample)
  expect(read).toEqual(sample.reads)
})
