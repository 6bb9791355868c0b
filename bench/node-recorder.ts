import { encodeEventTopics, toFunctionSelector } from 'viem/utils'
import { accountRegistryAbi, balanceLensAbi, routeExecutorAbi } from '../contracts/artifacts/abi'
import { multicall3 } from '../src/adapters/evm/feeds/feed-abi'
import { transferTopic } from '../src/adapters/evm/logs'
import type { Devnet } from '../src/devnet/devnet'
import { type ChainKey, chainKeys } from '../src/domain/chain/chain'
import type { Hex } from '../src/domain/chain/hex'

/** A request to a node: its time, its process, and its purpose if the request shows one. */
export type NodeCall = { at: number; process: string; chain: ChainKey; method: string; purpose: string }
/** A span from a process: a piece of work, or a request within one. Times are in milliseconds since 1970. */
type Span = { id: string; parentId: string; name: string; from: number; to: number }

export type NodeRecorder = ReturnType<typeof recordNodes>

/**
 * A proxy in front of the devnet's nodes, which records all requests. It also receives the processes' spans, which name
 * the piece of work behind a request. It does not use the service's own metric, which it can therefore verify.
 */
export function recordNodes() {
  const asked: NodeCall[] = []
  const spans: Span[] = []
  let devnet: Pick<Devnet, 'chains'> | null = null

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const [, place = '', process = ''] = new URL(request.url).pathname.split('/')
      const body = await request.text()
      if (place === 'v1') {
        spans.push(...spansIn(JSON.parse(body)))
        return Response.json({})
      }
      const chain = chainKeys.find((key) => key === place)!
      const at = Date.now()
      for (const { method, params } of [JSON.parse(body)].flat())
        asked.push({ at, process, chain, method, purpose: purposeOf(method, params) })
      const { rpcUrl } = Object.values(devnet!.chains).find(({ key }) => key === chain)!
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
      return new Response(answer.body, { status: answer.status, headers })
    },
  })
  const url = `http://127.0.0.1:${server.port}`

  return {
    asked,
    /** Environment that points a process here instead of at the nodes. */
    envOf: (process: string): Record<string, string> => ({
      ...Object.fromEntries(chainKeys.map((key) => [`RPC_URL_${key.toUpperCase()}`, `${url}/${key}/${process}`])),
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    }),
    /** Sets the nodes. No request may arrive earlier. */
    follow(started: Pick<Devnet, 'chains'>): void {
      devnet = started
    },
    /** The piece of work that made a request. Null for work not done for a single deposit. */
    callerOf({ chain, method, at }: NodeCall): string | null {
      const name = `${chain} ${method}`
      const span = spans.find((one) => one.name === name && one.from <= at + slackMs && at <= one.to + slackMs)
      return spans.find(({ id }) => id === span?.parentId)?.name ?? null
    },
    stop: () => server.stop(true),
  }
}

/** Spans have the time of the requesting process, and requests the time of their arrival here. */
const slackMs = 3

type Sent = {
  resourceSpans: { scopeSpans: { spans: Record<'spanId' | 'parentSpanId' | 'name' | SpanTime, string>[] }[] }[]
}
type SpanTime = 'startTimeUnixNano' | 'endTimeUnixNano'
const spansIn = ({ resourceSpans }: Sent): Span[] =>
  resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano }) => ({
      id: spanId,
      parentId: parentSpanId,
      name,
      from: Number(startTimeUnixNano) / 1e6,
      to: Number(endTimeUnixNano) / 1e6,
    }))

/** Functions of our contracts and tokens, by selector. */
const functions = new Map<string, string>(
  [
    'function balanceOf(address)',
    'function getL1Fee(bytes)',
    'function getOperatorFee(uint256)',
    ...[...accountRegistryAbi, ...routeExecutorAbi, ...balanceLensAbi].filter(({ type }) => type === 'function'),
  ].map((one) => {
    const name = typeof one === 'string' ? /function (\w+)/.exec(one)![1]! : (one as { name: string }).name
    return [toFunctionSelector(one as Parameters<typeof toFunctionSelector>[0]), name]
  }),
)
const lensSelector = [...functions].find(([, name]) => name === 'nonZero')![0].slice(2)
const [routeTopic] = encodeEventTopics({ abi: routeExecutorAbi, eventName: 'RouteExecuted' })

function purposeOf(method: string, params: unknown[]): string {
  const [first, second] = params as [Record<string, unknown> & string, unknown]
  if (method === 'eth_getBlockByNumber') return first === 'latest' ? 'the head' : second ? 'a whole block' : 'a block'
  if (method === 'eth_getTransactionCount') return second === 'latest' ? 'mined nonces' : 'confirmed nonces'
  if (method === 'eth_getLogs') {
    const { address, topics } = first as unknown as { address?: unknown; topics: Hex[] }
    if (topics[0] === routeTopic) return 'the event of a route'
    if (topics[0] !== transferTopic) return 'logs'
    return address ? 'transfers of listed tokens' : 'transfers of unlisted tokens'
  }
  if (method !== 'eth_call') return ''
  const { to, data } = first as unknown as { to: string; data: string }
  if (to === multicall3) return data.includes(lensSelector) ? 'balances of several tokens' : 'a price feed'
  return functions.get(data.slice(0, 10)) ?? 'a call'
}
