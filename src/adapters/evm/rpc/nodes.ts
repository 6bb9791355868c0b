import { type ChainId, chainKeyOf } from '../../../domain/chain/chain'
import { RoutingError } from '../../../domain/error'
import type { Telemetry } from '../../../ports/observing'
import { toQuantity } from './answers'
import { isRevert, rpcError } from './error'
import { type Ask, jsonRpc, type Proof, RpcNoAnswer, RpcRefusal } from './json-rpc'

type Settings = {
  chainId: ChainId
  rpcUrls: readonly string[]
  timeoutMs: number
  isAnswer: (error: unknown) => boolean
  /** Called for every request. Only this counts what the nodes cost. */
  telemetry: Telemetry
}

/** Time after which the first node is tried again, in milliseconds. */
const preferFirstAfterMs = 30_000

/**
 * The nodes of one chain. The first node that responds is used until it fails. Each node must confirm its chain id
 * before it is trusted. A failure becomes a `RoutingError` with the node's own error as its cause. `eth_chainId` goes
 * to the node in use only. If that node belongs to another chain, another node replaces it.
 */
export function nodes({ chainId, rpcUrls, timeoutMs, isAnswer, telemetry }: Settings): Ask {
  const chain = chainKeyOf(chainId)
  const traced =
    (ask: Ask, node: string): Ask =>
    (method, params) =>
      telemetry.outside({ system: 'rpc', chain, node, method }, () => ask(method, params), meaningOf)
  const isBelieved = (error: unknown) => isRevert(error) || isAnswer(error)
  const all = rpcUrls.map((url, n) =>
    withinItsBlocks(onChain(pausedByNode(traced(jsonRpc(url, timeoutMs), `${n + 1}`)), chainId, isBelieved)),
  )
  let current = 0
  let leftFirstAt = 0

  async function firstThat<Answer>(act: (node: Ask) => Promise<Answer>, isAboutNode: boolean): Promise<Answer> {
    if (current !== 0 && performance.now() - leftFirstAt > preferFirstAfterMs) current = 0
    const first = current
    let failure: unknown
    for (let n = 0; n < (isAboutNode ? 1 : all.length); n++) {
      const at = (first + n) % all.length
      try {
        const answer = await act(all[at]!)
        if (at !== first && current === first) [current, leftFirstAt] = [at, performance.now()]
        return answer
      } catch (error) {
        failure = error
        if (isBelieved(error)) break
      }
    }
    if (isAboutNode) [current, leftFirstAt] = [(first + 1) % all.length, performance.now()]
    throw rpcError(failure)
  }

  const ask: Ask = (method, params, proof) => firstThat((node) => node(method, params, proof), method === 'eth_chainId')
  return Object.assign(ask, { ofOne: <Answer>(act: (node: Ask) => Promise<Answer>) => firstThat(act, false) })
}

/** A revert is an answer and has its own code. */
const meaningOf = (error: unknown): string => (isRevert(error) ? 'REVERTED' : rpcError(error).code)

/** Honours Retry-After: until the pause ends, every call fails with the error that requested it. */
function pausedByNode(ask: Ask): Ask {
  let pause: { until: number; error: unknown } | null = null
  return async (method, params) => {
    if (pause && performance.now() < pause.until) throw pause.error
    try {
      return await ask(method, params)
    } catch (error) {
      const retryAfterMs = error instanceof RpcRefusal || error instanceof RpcNoAnswer ? error.retryAfterMs : null
      if (retryAfterMs !== null) pause = { until: performance.now() + retryAfterMs, error }
      throw error
    }
  }
}

/**
 * How long a chain id check is trusted, in milliseconds. The node behind a URL can be replaced without a failed
 * request. Irreversible conclusions do not rely on this trust: their callers check the chain id at that moment.
 */
const trustedMs = 5_000
/**
 * For this long after a chain id check, in milliseconds, an answer that proves the chain renews the trust in its node.
 */
const chainIdRecentMs = 15_000

/**
 * Checks that a node belongs to this chain. A node of another chain would show other balances and accept our
 * transactions without effect. The chain id is checked before the first request, and after each failure, because a
 * failing URL may lead to another node afterwards. Callers also request a check before an irreversible conclusion. An
 * answer that only a node of this chain can give needs no further proof. The node's next answer needs proof, unless the
 * chain id was checked recently. An error that would count as the answer proves nothing.
 */
function onChain(ask: Ask, chainId: ChainId, isBelieved: (error: unknown) => boolean): Ask {
  let checked: Promise<void> | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  let chainIdReadAt = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    const answer = await ask('eth_chainId', [])
    if (Number(answer) !== chainId) throw new RoutingError('RPC_FAILED', { cause: new Error('Node of another chain') })
  }

  const isChainIdRecent = (): boolean => performance.now() - chainIdReadAt <= chainIdRecentMs
  const isLapsed = (): boolean => performance.now() - checkedAt > trustedMs || !isChainIdRecent()

  async function assure(isAboutNode: boolean): Promise<void> {
    if (isAboutNode || isLapsed()) checked = null
    if (!checked) {
      chainIdReadAt = checkedAt = performance.now()
      checked = check().catch((error) => {
        checked = null
        throw error
      })
    }
    await checked
  }

  async function answerTo(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await ask(method, params)
    } catch (error) {
      if (!isItsAnswer(error)) checked = null
      throw error
    }
  }

  async function proven(method: string, params: readonly unknown[], proof: Proof): Promise<unknown> {
    const answer = await answerTo(method, params).catch(async (error) => {
      if (isBelieved(error)) await assure(false)
      throw error
    })
    const proves = proof(answer)
    if (proves === null) await assure(false)
    else if (proves === 'NODE' && checked && isChainIdRecent()) checkedAt = performance.now()
    return answer
  }

  return async (method, params, proof) => {
    const isAboutNode = method === 'eth_chainId'
    if (proof && (!checked || isLapsed())) return (await proven(method, params, proof)) as never
    await assure(isAboutNode)
    return (isAboutNode ? toQuantity(chainId) : await answerTo(method, params)) as never
  }
}

/**
 * Refuses a log query that reaches above the blocks a node has shown, unless the node has its last block. A node that
 * lags returns an empty list for blocks that it does not have, and another node may have given the range. A poll reads
 * the head first, so only the first query after a change of nodes costs a request.
 */
function withinItsBlocks(ask: Ask): Ask {
  let highest = Number.NEGATIVE_INFINITY

  const shows = (block: unknown): boolean => {
    const number = Number((block as { number?: unknown } | null)?.number)
    if (number > highest) highest = number
    return block !== null
  }

  async function assureHas(block: unknown): Promise<void> {
    if (typeof block !== 'string' || Number(block) <= highest) return
    if (!shows(await ask('eth_getBlockByNumber', [block, false])))
      throw new RpcRefusal(-32_000, 'The log query ends beyond the head')
  }

  return async (method, params, proof) => {
    try {
      if (method === 'eth_getLogs') await assureHas((params[0] as { toBlock?: unknown }).toBlock)
      const answer = await ask(method, params, proof)
      if (method === 'eth_getBlockByNumber') shows(answer)
      return answer as never
    } catch (error) {
      if (!isItsAnswer(error)) highest = Number.NEGATIVE_INFINITY // another node may answer behind this URL from now on
      throw error
    }
  }
}

/** Whether the node itself refused a request, as opposed to a failure on the way to it. */
const isItsAnswer = (error: unknown): boolean => error instanceof RpcRefusal && error.status === null
