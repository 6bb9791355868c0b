import { cctp } from '../../adapters/aggregators/cctp'
import { lifi } from '../../adapters/aggregators/lifi'
import { relay } from '../../adapters/aggregators/relay'
import { wallClock } from '../../adapters/clock'
import { type Fetcher, fetchJson } from '../../adapters/http'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { type ProviderKey, providerName } from '../../domain/execution/provider'
import { defaultPolicy } from '../../domain/execution/route'
import type { TokenList } from '../../domain/money/token'
import { relayChain } from '../../protocols/relay/relay-order'
import type { Aggregator } from '../../providers/aggregator'
import type { RouteRule } from '../../signer/function-rule'
import { lifiBridges, routeObjection } from '../../signer/route-rules'
import type { Loaded } from '../process/base'
import { type Area, about, codeOf, type Finding } from './finding'
import type { RecordedResponses } from './recorded-responses'

const timeoutMs = 15_000
const symbol = 'USDC'
const amountIn = 100_000_000n
/** A placeholder account and recipient. Nothing is sent. */
const nobody: Address = '0x000000000000000000000000000000000000dEaD'
const pairs = chainKeys.flatMap((from) => chainKeys.filter((to) => to !== from).map((to) => [from, to] as const))

/**
 * Checks each routing provider: that it supports our chains and bridges, and that its quote for every pair of chains
 * passes the reader used for signed orders.
 */
export function providersOf(
  loaded: Loaded,
  tokens: TokenList,
  rules: readonly RouteRule[],
  responses: RecordedResponses,
): Area {
  const { config, secrets } = loaded
  const objectionTo = routeObjection(rules, { now: wallClock })
  const addressOf = (key: ChainKey) => tokens.findBySymbol(chains[key].id, symbol)?.address

  async function quotes(provider: Aggregator): Promise<Finding[]> {
    const name = providerName(provider.name)
    const findings: Finding[] = []
    // Sequential, because providers limit concurrent quotes.
    for (const [from, to] of pairs) {
      const { good, bad, unknown } = about('quote', `${name}, ${chains[from].name} to ${chains[to].name}`)
      const [fromToken, toToken] = [addressOf(from), addressOf(to)]
      if (!fromToken || !toToken) continue
      const sides = { fromChainId: chains[from].id, toChainId: chains[to].id, fromToken, toToken }
      const request = { ...sides, amountIn, account: nobody, recipient: nobody, policy: defaultPolicy }
      try {
        const route = await provider.quote(request, AbortSignal.timeout(timeoutMs))
        const objection = route && objectionTo(route, request)
        if (!route) findings.push(unknown('It has no route for 100 USDC now.', 'Another provider must have one.'))
        else if (objection)
          findings.push(
            bad(
              `Its route would not be signed: ${lowerFirst(objection)}`,
              'It is never used. Report it with the stored response.',
            ),
          )
        else findings.push(good('Its route for 100 USDC can be read and signed.'))
      } catch (error) {
        const code = codeOf(error)
        const say = code === 'PROVIDER_UNAUTHORIZED' ? bad : unknown
        findings.push(say(`It gave no quote (${code}).`, adviceOf(code, provider.name)))
        if (['PROVIDER_UNAUTHORIZED', 'PROVIDER_UNREACHABLE', 'PROVIDER_RATE_LIMITED'].includes(code)) break
      }
    }
    return findings
  }

  async function examine(): Promise<Finding[]> {
    const parts: Promise<Finding[]>[] = []
    if (config.lifiUrl) {
      const settings = { url: config.lifiUrl, apiKey: secrets.lifiApiKey, bridges: lifiBridges }
      parts.push(lifiTools(config.lifiUrl, responses.ofServer('lifi')))
      parts.push(quotes(lifi({ ...settings, fetcher: responses.ofServer('lifi') })))
    }
    if (config.relayUrl) {
      const settings = { url: config.relayUrl, apiKey: secrets.relayApiKey, solver: config.relaySolver }
      parts.push(relayChains(config.relayUrl, responses.ofServer('relay')))
      parts.push(quotes(relay({ ...settings, fetcher: responses.ofServer('relay') })))
    }
    if (config.cctpUrl) parts.push(quotes(cctp({ url: config.cctpUrl, fetcher: responses.ofServer('cctp') })))
    return (await Promise.all(parts)).flat()
  }

  return { name: 'Routing providers', examine }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const adviceOf = (code: string, provider: string): string =>
  code === 'PROVIDER_UNAUTHORIZED'
    ? `Check ${(provider satisfies string as ProviderKey).toUpperCase()}_${provider === 'cctp' ? 'URL' : 'API_KEY'}.`
    : code === 'PROVIDER_RATE_LIMITED'
      ? 'Run the doctor again when its limit allows more quotes.'
      : 'Run the doctor again, and check the provider’s status page.'

/** LI.FI must list the bridges under the names that we request. */
async function lifiTools(url: string, fetcher: Fetcher): Promise<Finding[]> {
  const { good, bad, unknown } = about('lifi-bridges', providerName('lifi'))
  const advice = 'Run the doctor again when LI.FI answers.'
  try {
    const answer = await fetchJson(`${url}/tools`, { signal: AbortSignal.timeout(timeoutMs), fetcher })
    const { bridges } = (answer.body ?? {}) as { bridges?: { key?: unknown }[] }
    if (!Array.isArray(bridges)) return [unknown('It does not list its bridges.', advice)]
    const names = new Set(bridges.map(({ key }) => key))
    const missing = lifiBridges.filter((name) => !names.has(name))
    if (missing.length === 0) return [good('It lists every bridge that may be used.')]
    const sentence = `It does not list the bridges ${missing.join(', ')}: no route that uses them is offered.`
    const changelog = 'Check LI.FI’s changelog and update this release.'
    return [missing.length === lifiBridges.length ? bad(sentence, changelog) : unknown(sentence, changelog)]
  } catch (error) {
    return [unknown(`It does not answer (${codeOf(error)}).`, advice)]
  }
}

/** Relay must list the chains under the names that its orders contain. */
async function relayChains(url: string, fetcher: Fetcher): Promise<Finding[]> {
  const { good, bad, unknown } = about('relay-chains', providerName('relay'))
  const advice = 'Run the doctor again when Relay answers.'
  try {
    const answer = await fetchJson(`${url}/chains`, {
      signal: AbortSignal.timeout(timeoutMs),
      fetcher,
      bytesMax: 20_000_000,
    })
    const { chains: listed } = (answer.body ?? {}) as {
      chains?: { id?: unknown; name?: unknown; disabled?: unknown }[]
    }
    if (!Array.isArray(listed)) return [unknown('It does not list its chains.', advice)]
    const other = chainKeys.filter((key) => {
      const { id } = chains[key]
      return !listed.some((each) => each.id === id && each.name === relayChain(id) && each.disabled !== true)
    })
    if (other.length === 0) return [good('It lists the five chains under our names.')]
    const names = other.map((key) => chains[key].name).join(', ')
    return [
      bad(`It does not list ${names} under the name that its orders need.`, 'Update this release, or unset RELAY_URL.'),
    ]
  } catch (error) {
    return [unknown(`It does not answer (${codeOf(error)}).`, advice)]
  }
}
