import { firstValueFrom } from 'rxjs'
import { wallClock } from '../../adapters/clock'
import { operatorFeeCall, readOnlyDraft } from '../../adapters/evm/estimate'
import { asAmount, asNumber, asObject, toQuantity } from '../../adapters/evm/rpc/answers'
import { isRevert, refusalIn, rpcError } from '../../adapters/evm/rpc/error'
import { type Ask, jsonRpc } from '../../adapters/evm/rpc/json-rpc'
import { newHeads } from '../../adapters/evm/rpc/new-heads'
import { noTelemetry } from '../../adapters/no-telemetry'
import { type ChainId, type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Loaded } from '../process/base'
import { type Area, about, codeOf, type Finding, findingsOf } from './finding'
import type { RecordedResponses } from './recorded-responses'

type Node = { ask: Ask; chainId: ChainId; subject: string; config: Loaded['config']; head: number }
/** One check of a node. It throws if the node refuses, which becomes the finding `refused`. */
type Check = {
  name: string
  refused: string
  advice: string
  only?: ChainKey
  probe: (node: Node) => Promise<string>
}

const timeoutMs = 15_000
const subscriptionMs = 30_000
const ranges = [64_000, 10_000, 2_000, 500, 100, 10]
/** With a shorter range, following a chain and finding a route cost many times the requests. */
const rangeWanted = 500
const batchSize = 100
const addressesAtOnce = 1_000
const clockMaxMs = 15_000

/** What the service requires of a node. Each row is one line of the report per node. */
const checks: readonly Check[] = [
  {
    name: 'node-batch',
    refused: `It refuses a batch of ${batchSize} calls`,
    advice: 'Raise the limit of calls in a batch at the node, or use another node.',
    async probe({ ask }) {
      await Promise.all(Array.from({ length: batchSize }, (_, n) => ask('eth_getBalance', [toAddress(n), 'latest'])))
      return `It answers ${batchSize} calls at once.`
    },
  },
  {
    name: 'node-log-addresses',
    refused: `It refuses logs of ${addressesAtOnce} addresses`,
    advice: 'Use a node that allows 1,000 addresses in a log filter.',
    async probe({ ask, head }) {
      const address = Array.from({ length: addressesAtOnce }, (_, n) => toAddress(n + 1))
      const [from, to] = [toQuantity(Math.max(0, head - 1)), toQuantity(head)]
      await ask('eth_getLogs', [{ address, fromBlock: from, toBlock: to }])
      return `It finds logs of ${addressesAtOnce} addresses at once.`
    },
  },
  {
    name: 'node-overrides',
    refused: 'It refuses state overrides, which are needed to estimate an order before its deposit arrives',
    advice: 'Use a node whose eth_call and eth_estimateGas accept state overrides.',
    async probe({ ask, config }) {
      const { call, overrides, yes } = readOnlyDraft(config.executor)
      const answer = await ask('eth_call', [call, 'latest', overrides])
      if (answer !== yes) throw new Error('The override had no effect')
      const poor = toAddress(0x5017c4)
      const balance = { [poor]: { balance: toQuantity(10n ** 18n) } }
      await ask('eth_estimateGas', [{ from: poor, to: poor, value: '0x1' }, 'latest', balance])
      return 'It accepts state overrides.'
    },
  },
  {
    name: 'node-access-list',
    refused: 'It refuses eth_createAccessList, which is needed to find a token balance',
    advice: 'Use a node that supports eth_createAccessList.',
    async probe({ ask, config }) {
      const { call } = readOnlyDraft(config.executor)
      await ask('eth_createAccessList', [{ ...call, from: config.executor }, 'latest'])
      return 'It lists what a call reads.'
    },
  },
  {
    name: 'node-history',
    refused: 'It lacks the state of the newest confirmed block, which is needed to read balances',
    advice: 'Use a node that keeps the state of at least the last 128 blocks.',
    async probe({ ask, head, chainId, config }) {
      const key = chainKeys.find((each) => chains[each].id === chainId)!
      const block = toQuantity(Math.max(0, head - config.confirmations[key]))
      await ask('eth_getBalance', [config.executor, block])
      await ask('eth_call', [readOnlyDraft(config.executor).call, block])
      return 'It has the state of the newest confirmed block.'
    },
  },
  {
    name: 'node-tip',
    refused: 'It does not suggest a tip',
    advice: 'Use a node that supports eth_maxPriorityFeePerGas.',
    async probe({ ask }) {
      asAmount(await ask('eth_maxPriorityFeePerGas', []))
      return 'It suggests a tip.'
    },
  },
  {
    name: 'node-operator-fee',
    only: 'base',
    refused: 'The gas oracle of Base has no operator fee, which is part of the price of an order',
    advice: 'Compare GasPriceOracle on Base with this release: the chain may have been upgraded.',
    async probe({ ask }) {
      await ask('eth_call', [operatorFeeCall(1n), 'latest'])
      return 'The gas oracle returns the operator fee.'
    },
  },
]

/** Checks each configured node separately. A node is named by its chain and its position in the setting. */
export function nodesOf({ config, secrets }: Loaded, responses: RecordedResponses): Area {
  async function ofNode(key: ChainKey, url: string, n: number): Promise<Finding[]> {
    const subject = `${chains[key].name}, node ${n + 1}`
    const ask = responses.ofNode(subject, jsonRpc(url, timeoutMs))
    const reach = about('node-chain', subject)
    const variable = `RPC_URL_${key.toUpperCase()}`
    try {
      const said = asNumber(await ask('eth_chainId', []))
      if (said !== chains[key].id)
        return [reach.bad(`It belongs to the chain ${said}.`, `Set ${variable} to a node of ${chains[key].name}.`)]
    } catch (error) {
      const advice = `Check ${variable}: its URL, its key and its plan.`
      return [reach.bad(`It does not respond (${codeOf(rpcError(error))}).`, advice)]
    }
    const { number: head, findings } = await headOf(ask, subject, config.headStaleMs)
    if (head === null) return findings
    const node = { ask, chainId: chains[key].id, subject, config, head }
    const rows = checks.filter(({ only }) => only === undefined || only === key)
    const results = await Promise.all([...rows.map((row) => findingOf(row, node)), logRange(node), tracing(node)])
    return [reach.good(`It is a node of ${chains[key].name}.`), ...findings, ...results.flat()]
  }

  async function ofChain(key: ChainKey): Promise<Finding[]> {
    const urls = secrets.rpcUrls[key]
    const results = (await Promise.all(urls.map((url, n) => ofNode(key, url, n)))).flat()
    const { good, unknown } = about('nodes', chains[key].name)
    const subscriptions = await Promise.all(secrets.subscriptionUrls[key].map((url, n) => subscriptionOf(key, url, n)))
    const several =
      urls.length > 1
        ? good(`It has ${urls.length} nodes.`)
        : unknown(
            'It has one node: no second node confirms its responses, or takes over if it fails.',
            'Name a second node, which another company runs, in the RPC_URL_… of the chain.',
          )
    return [...results, ...subscriptions.flat(), several]
  }

  return { name: 'Nodes', examine: async () => (await Promise.all(chainKeys.map(ofChain))).flat() }
}

/** Whether a node pushes new heads within the time of two blocks of the slowest chain. */
async function subscriptionOf(key: ChainKey, url: string, n: number): Promise<Finding> {
  const { good, bad } = about('node-subscription', `${chains[key].name}, subscription ${n + 1}`)
  let trouble: unknown = null
  const heads = newHeads({
    chainId: chains[key].id,
    urls: [url],
    telemetry: noTelemetry,
    onTrouble: ({ cause }) => {
      trouble = cause
    },
    onRecovered: () => {},
    timings: { silentMs: subscriptionMs },
  })
  if ((await firstValueFrom(heads)) !== null) return good('It pushes new blocks.')
  const why = trouble instanceof Error ? trouble.message : 'It failed'
  const variable = `RPC_URL_${key.toUpperCase()}`
  return bad(
    `${why}. The chain is polled instead.`,
    `Check the wss:// URLs of ${variable}: each, its key and its plan.`,
  )
}

async function findingOf({ name, refused, advice, probe }: Check, node: Node): Promise<Finding> {
  const { good, bad, unknown } = about(name, node.subject)
  try {
    return good(await probe(node))
  } catch (error) {
    if (error instanceof Error && !isAnswer(error) && isAway(error))
      return unknown(`It did not answer (${codeOf(rpcError(error))}).`, 'Run the doctor again when the node answers.')
    return bad(`${refused} (${codeOf(refusalIn(error) ?? rpcError(error))}).`, advice)
  }
}

const isAnswer = (error: unknown): boolean => refusalIn(error) !== null || isRevert(error)
const isAway = (error: unknown): boolean =>
  ['RPC_TIMEOUT', 'RPC_UNREACHABLE', 'RPC_RATE_LIMITED'].includes(codeOf(rpcError(error)))

async function headOf(
  ask: Ask,
  subject: string,
  staleMs: number,
): Promise<{ number: number | null; findings: Finding[] }> {
  const { good, bad, unknown } = about('node-head', subject)
  try {
    const block = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
    const number = asNumber(block['number'])
    const ageMs = wallClock() - asNumber(block['timestamp']) * 1_000
    if (ageMs < -clockMaxMs)
      return {
        number,
        findings: [bad('Its newest block is from the future.', 'Set the clock of this machine by NTP.')],
      }
    const seconds = Math.round(ageMs / 1_000)
    const late = bad(
      `Its newest block is ${seconds} seconds old: nothing is signed there.`,
      'Wait until it has caught up, or use another node.',
    )
    return { number, findings: [ageMs > staleMs ? late : good('Its newest block is recent.')] }
  } catch (error) {
    const advice = 'Run the doctor again when the node answers.'
    return { number: null, findings: [unknown(`It returns no newest block (${codeOf(rpcError(error))}).`, advice)] }
  }
}

/**
 * Finds how many blocks the node searches for logs in one request. The service discovers the same limit on its own; a
 * short range costs more.
 */
async function logRange({ ask, subject, head, config }: Node): Promise<Finding[]> {
  const line = about('node-log-range', subject)
  return findingsOf(line, 'Run the doctor again when the node answers.', async () => {
    let failure: unknown
    for (const blocks of ranges) {
      const fromBlock = toQuantity(Math.max(0, head - blocks + 1))
      const filter = { address: [config.registry, config.executor], fromBlock, toBlock: toQuantity(head) }
      const works = await ask('eth_getLogs', [filter]).then(
        () => true,
        (error) => {
          failure = error
          return false
        },
      )
      if (!works) continue
      const sentence = `It searches ${blocks.toLocaleString('en')} blocks for logs at once.`
      return blocks >= rangeWanted
        ? line.good(sentence)
        : line.bad(sentence, 'Use a plan that allows 500 blocks or more: a short range costs many times the requests.')
    }
    throw rpcError(failure)
  })
}

/** If a contract pays native coin, only a trace shows the sender. */
async function tracing({ ask, subject, head }: Node): Promise<Finding> {
  const { good, unknown } = about('node-trace', subject)
  const block = toQuantity(head)
  const tracers = [
    ['debug_traceBlockByNumber', [block, { tracer: 'callTracer' }]],
    ['trace_block', [block]],
  ] as const
  for (const [method, params] of tracers)
    if (await works(ask(method, params))) return good(`It traces blocks with ${method}.`)
  return unknown(
    'It traces no blocks, so the payer of native coin is unknown, and every possible sender in the block is screened.',
    'Use a plan with debug_traceBlockByNumber or trace_block.',
  )
}

const works = (request: Promise<unknown>): Promise<boolean> =>
  request.then(
    () => true,
    () => false,
  )

const toAddress = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`
