import { catchError, concat, defer, ignoreElements, Observable, of, repeat, tap, timeout, timer } from 'rxjs'
import { type ChainId, chainKeyOf, chainOf } from '../../../domain/chain/chain'
import { RoutingError } from '../../../domain/error'
import type { NewHeads } from '../../../ports/chain-client'
import type { Telemetry } from '../../../ports/observing'
import { asHash, asNumber, asObject } from './answers'

type Settings = {
  chainId: ChainId
  /** ws:// or wss:// URLs of the nodes, in order of preference. */
  urls: readonly string[]
  telemetry: Telemetry
  /** Called once when heads stop, and again only after a head has come. */
  onTrouble: (error: RoutingError) => void
  onRecovered: () => void
  timings?: Partial<Timings>
}
type Timings = {
  /** Longest time without a head, in milliseconds. */
  silentMs: number
  /** Pause before the first new attempt, in milliseconds. It doubles up to `backoffMaxMs`. */
  backoffMs: number
  backoffMaxMs: number
}

/** A chain may leave out a block or two. */
const silentBlocks = 4
const silentSlackMs = 5_000
/**
 * A connection that lasted this long, in milliseconds, was no failure. The next attempt begins with the shortest pause.
 */
const steadyMs = 60_000
/** No chain has more heads than this in a second. */
const headsMax = 50
/** Longest message that can be a head, in characters. */
const messageMax = 200_000

/**
 * Emits the heads that a node pushes through `eth_subscribe`, while there is a subscriber. A node is left if its
 * connection breaks, if it is silent or too fast, or if it belongs to another chain. The stream then emits null, and
 * tries the next node after a pause.
 */
export function newHeads({ chainId, urls, telemetry, onTrouble, onRecovered, timings }: Settings): NewHeads {
  const blockMs = chainOf(chainId).blockSeconds * 1_000
  const { silentMs, backoffMs, backoffMaxMs } = {
    silentMs: silentBlocks * blockMs + silentSlackMs,
    backoffMs: 1_000,
    backoffMaxMs: 60_000,
    ...timings,
  }
  return defer(() => {
    let [attempt, failures, isTroubled, since] = [0, 0, false, 0]

    function pause(error: unknown): Observable<null> {
      if (!isTroubled) onTrouble(troubleOf(error))
      isTroubled = true
      failures = performance.now() - since > steadyMs ? 1 : failures + 1
      const pauseMs = Math.min(backoffMs * 2 ** (failures - 1), backoffMaxMs)
      return concat(of(null), timer(pauseMs).pipe(ignoreElements()))
    }

    return defer(() => {
      since = performance.now()
      const node = attempt++ % urls.length
      return telling(urls[node]!, chainId, (method, run) =>
        telemetry.outside({ system: 'rpc', chain: chainKeyOf(chainId), node: `subscription ${node + 1}`, method }, run),
      )
    }).pipe(
      timeout({ each: silentMs }),
      tap(() => {
        if (isTroubled) onRecovered()
        isTroubled = false
      }),
      catchError(pause),
      repeat(),
    )
  })
}

/** The WebSocket's own error text names the URL, which may contain a key, so it is not passed on. */
const broken = (why: string): RoutingError => new RoutingError('RPC_FAILED', { cause: new Error(why) })
const troubleOf = (error: unknown): RoutingError =>
  error instanceof RoutingError ? error : broken('The node pushed no head for too long')

type Request = (method: string, run: () => Promise<unknown>) => Promise<unknown>

/** Emits the heads that one node pushes. Fails when the connection ends. */
const telling = (url: string, chainId: ChainId, counted: Request): Observable<number> =>
  new Observable((subscriber) => {
    const waiting = new Map<unknown, { resolve: (answer: unknown) => void; reject: (error: unknown) => void }>()
    const assureSlow = paceCheck()
    const socket = new WebSocket(url) as WebSocket & {
      /** Bun's: `close` would wait for the other side. */ terminate(): void
    }
    let subscription: unknown = null

    const fail = (error: unknown): void => {
      for (const { reject } of waiting.values()) reject(error)
      subscriber.error(error)
    }

    const request = (method: string, params: readonly unknown[]): Promise<unknown> =>
      counted(method, () => {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>()
        const id = waiting.size + 1
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
        return promise
      })

    async function begin(): Promise<void> {
      if (asNumber(await request('eth_chainId', [])) !== chainId) throw broken('Node of another chain')
      subscription = await request('eth_subscribe', ['newHeads'])
      if (typeof subscription !== 'string') throw broken('The node returned no subscription id')
    }

    function receive(text: string): void {
      const { id, result, error, method, params } = asObject(JSON.parse(text))
      if (method === undefined) {
        if (error) waiting.get(id)?.reject(broken('The node refused the subscription'))
        else waiting.get(id)?.resolve(result)
        return
      }
      const pushed = asObject(params)
      if (method !== 'eth_subscription' || pushed['subscription'] !== subscription) return
      const { number, hash } = asObject(pushed['result'])
      asHash(hash)
      subscriber.next(asNumber(number))
    }

    socket.onopen = () => void begin().catch(fail)
    socket.onmessage = ({ data }) => {
      try {
        assureSlow()
        if (typeof data !== 'string' || data.length > messageMax)
          throw broken('The node sent a message that is not a head')
        receive(data)
      } catch (error) {
        fail(error instanceof RoutingError ? error : broken('The node sent a message that is not JSON'))
      }
    }
    socket.onerror = () => fail(new RoutingError('RPC_UNREACHABLE', { cause: new Error('The connection failed') }))
    socket.onclose = ({ code }) => fail(broken(`The connection ended (${code})`))
    return () => {
      for (const { reject } of waiting.values()) reject(broken('The subscription ended'))
      socket.terminate()
    }
  })

function paceCheck(): () => void {
  let [second, count] = [0, 0]
  return () => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) [second, count] = [now, 0]
    count += 1
    if (count > headsMax) throw broken('The node sends more heads than any chain has')
  }
}
