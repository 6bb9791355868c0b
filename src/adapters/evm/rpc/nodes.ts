import { type ChainId, chainKeyOf } from '../../../domain/chain/chain'
import { RoutingError } from '../../../domain/error'
import type { Telemetry } from '../../../ports/telemetry'
import { toQuantity } from './answers'
import { isRevert, rpcError } from './error'
import { type Ask, jsonRpc, type Proof, RpcNoAnswer, RpcRefusal } from './json-rpc'

type Settings = {
  chainId: ChainId
  rpcUrls: readonly string[]
  timeoutMs: number
  isAnswer: (error: unknown) => boolean
  /** Called for every request. Nothing else counts what the nodes cost. */
  telemetry: Telemetry
}

/** After this long the first node is tried again. */
const preferFirstAfterMs = 30_000

/**
 * The nodes of one chain. The first that answers is used until it fails. Each node must confirm its chain id before it
 * is believed. A failure comes out as a `RoutingError` with the node's own error as its cause. `eth_chainId` asks about
 * the node whose answers are used now: no other one answers in its place, and one of another chain is left.
 */
export function nodes({ chainId, rpcUrls, timeoutMs, isAnswer, telemetry }: Settings): Ask {
  const chain = chainKeyOf(chainId)
  const told =
    (ask: Ask, node: string): Ask =>
    (method, params) =>
      telemetry.outside({ system: 'rpc', chain, node, method }, () => ask(method, params), meaningOf)
  const isBelieved = (error: unknown) => isRevert(error) || isAnswer(error)
  const all = rpcUrls.map((url, n) => onChain(heldBack(told(jsonRpc(url, timeoutMs), `${n + 1}`)), chainId, isBelieved))
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

/** A revert is an answer and has a code of its own. */
const meaningOf = (error: unknown): string => (isRevert(error) ? 'REVERTED' : rpcError(error).code)

/** Honours Retry-After: until the pause is over, every call fails with the error that requested it. */
function heldBack(ask: Ask): Ask {
  let pause: { until: number; error: unknown } | null = null
  return async (method, params) => {
    if (pause && performance.now() < pause.until) throw pause.error
    try {
      return await ask(method, params)
    } catch (error) {
      const asked = error instanceof RpcRefusal || error instanceof RpcNoAnswer ? error.retryAfterMs : null
      if (asked !== null) pause = { until: performance.now() + asked, error }
      throw error
    }
  }
}

/**
 * The node behind a URL may be replaced while no request fails, so its chain id is checked again after this time. What
 * cannot be undone is not concluded on that trust: whoever does so asks for the chain id at that moment.
 */
const trustedMs = 5_000
/** For so long after the chain id was asked for, an answer that proves the chain makes what comes next believed too. */
const toldMs = 15_000

/**
 * A node of another chain would show other balances and accept our transactions to no effect. Its chain id is checked
 * before the first request and after each failure, because a URL that fails may lead to another node afterwards, and
 * whenever somebody asks for it, because a conclusion that cannot be undone hangs on it. An answer that only a node of
 * this chain can give needs no other proof, whichever node gave it. What the same node says next needs one, unless the
 * chain id was asked for a short while ago. An error that would be taken for the answer proves nothing.
 */
function onChain(ask: Ask, chainId: ChainId, isBelieved: (error: unknown) => boolean): Ask {
  let checked: Promise<void> | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    const answer = await ask('eth_chainId', [])
    if (Number(answer) !== chainId) throw new RoutingError('RPC_FAILED', { cause: new Error('Node of another chain') })
  }

  const isTold = (): boolean => performance.now() - toldAt <= toldMs
  const isLapsed = (): boolean => performance.now() - checkedAt > trustedMs || !isTold()

  async function assure(isAboutNode: boolean): Promise<void> {
    if (isAboutNode || isLapsed()) checked = null
    if (!checked) {
      toldAt = checkedAt = performance.now()
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
    else if (proves === 'NODE' && checked && isTold()) checkedAt = performance.now()
    return answer
  }

  return async (method, params, proof) => {
    const isAboutNode = method === 'eth_chainId'
    if (proof && (!checked || isLapsed())) return (await proven(method, params, proof)) as never
    await assure(isAboutNode)
    return (isAboutNode ? toQuantity(chainId) : await answerTo(method, params)) as never
  }
}

/** Whether a node refused a request by an answer of its own, as opposed to a failure on the way to it. */
const isItsAnswer = (error: unknown): boolean => error instanceof RpcRefusal && error.status === null
