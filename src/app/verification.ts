import { privateKeyToAddress } from 'viem/accounts'
import { readDeployment } from '../adapters/evm/deployment'
import { nodes } from '../adapters/evm/rpc/nodes'
import { shippedCode } from '../adapters/evm/shipped-code'
import { implementationAddressOf } from '../domain/chain/account'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../domain/chain/chain'
import { type DeploymentAsked, type Finding, findingsOf } from '../domain/chain/deployment'
import type { TokenList } from '../domain/money/token'
import type { RelayerAddresses } from '../ports/signer'
import { ChainsUnverified, Resting } from '../ports/unavailable'
import { draftAccount } from '../protocols/executor/draft-account'
import type { RouteRule } from '../signer/function-rule'
import type { loadConfig } from './config/config'
import type { Log } from './logging/log'

type Given = Pick<ReturnType<typeof loadConfig>, 'config' | 'secrets' | 'keys'> & {
  rules: readonly RouteRule[]
  relayers: RelayerAddresses
  tokens: TokenList
}
type Surroundings = { log: Log; onAway: (what: string, error: unknown) => void }

const hourMs = 3_600_000
/** While a chain is not verified it is looked at again this soon. */
const soonMs = 5_000
const lookMs = 1_000
const timeoutMs = 5_000

/**
 * Compares what is on each chain with the configuration, beside everything else: at the start, every hour, and until it
 * agrees. Until then nothing is signed there, and while no chain agrees nobody gets a new address.
 */
export function verification(given: Given, { log, onAway }: Surroundings) {
  const { config, secrets, keys, rules, relayers, tokens } = given
  const guards = rules.map(({ guard }) => guard)
  const names = [...new Set(['AccountRegistry', 'ModularAccount', 'RouteExecutor', 'BalanceLens', ...guards])]
  const askedOf = (id: ChainId): DeploymentAsked => ({
    ...config,
    implementation: implementationAddressOf(config.registry),
    signers: keys.signing ? [privateKeyToAddress(keys.signing.routeSigner)] : [],
    relayers: relayers.keys(id).map(({ address }) => address),
    worthless: draftAccount.address,
    rules,
    tokens: tokens.all.filter(({ chainId }) => chainId === id).map(({ address }) => address),
  })
  const verified = new Set<ChainId>()
  const said = new Map<ChainId, string>()
  const timers = new Map<ChainId, ReturnType<typeof setTimeout>>()
  const first = Promise.withResolvers<void>()
  let isStopped = false
  let isBegun = false

  async function look(id: ChainId): Promise<Finding[]> {
    const chain = chainOf(id).name
    const ask = nodes({ chainId: id, rpcUrls: secrets.rpcUrls[chainKeyOf(id)], timeoutMs, isAnswer: () => false })
    const [seen, shipped] = await Promise.all([readDeployment(ask)(askedOf(id)), shippedCode(names)])
    const findings = findingsOf(chain, seen, askedOf(id), shipped)
    const isFit = findings.every(({ weight }) => weight === 'TOLD')
    if (isFit) verified.add(id)
    else verified.delete(id)
    const { holders, paused, maxNativeFeeWei } = seen
    say(id, findings, {
      chain,
      node: seen.node,
      holders,
      paused,
      maxNativeFeeWei: String(maxNativeFeeWei),
      caps: seen.caps.map(({ token, limitRaw }) => `${token}: ${limitRaw}`),
    })
    return findings
  }

  /** Once, and again when it is another. */
  function say(id: ChainId, findings: Finding[], read: Record<string, unknown>): void {
    const news = JSON.stringify(findings)
    if (said.get(id) === news) return
    said.set(id, news)
    for (const { weight, sentence } of findings)
      if (weight === 'TOLD') log.say('CHAIN_REMARK', { weight }, sentence)
      else log.say('CHAIN_DIFFERS', { weight }, `${sentence.slice(0, -1)}: nothing is signed there.`)
    if (verified.has(id))
      log.say('CHAIN_VERIFIED', read, `the contracts on ${chainOf(id).name} are those that are configured`)
  }

  async function check(id: ChainId): Promise<Finding[]> {
    const findings = await look(id).catch((error): Finding[] => {
      onAway(`looking at the contracts on ${chainOf(id).name}`, error)
      return []
    })
    // A chain that agreed an hour ago and does not answer now has not changed for that: its contracts cannot.
    if (!isStopped)
      timers.set(
        id,
        setTimeout(() => void check(id), verified.has(id) ? hourMs : soonMs),
      )
    return findings
  }

  return {
    /** Never throws. @returns whether the start is refused: why is said, by variable and chain. */
    async start(): Promise<boolean> {
      const all = (await Promise.all(chainIds.map(check))).flat()
      const wrong = all.filter(({ weight }) => weight === 'WRONG').map(({ sentence }) => sentence)
      // Otherwise the process is about to end: until then nobody is shown or signed anything.
      isBegun = wrong.length === 0
      if (isBegun) first.resolve()
      for (const sentence of wrong) console.error(`The start is refused: ${sentence}`)
      return !isBegun
    },
    /** The same question, and none while the chain is not verified: then it throws {Resting}. */
    before:
      <Answer>(ask: (id: ChainId) => Promise<Answer>) =>
      async (id: ChainId): Promise<Answer> => {
        if (isBegun && verified.has(id)) return ask(id)
        const cause = new Error('The contracts there are not verified')
        throw new Resting(chainOf(id).name, lookMs, 'NODE', { cause })
      },
    /** Waits for the first look, which ends by itself. @throws {ChainsUnverified} while no chain is verified. */
    async assureAny(): Promise<void> {
      await first.promise
      if (verified.size === 0) throw new ChainsUnverified()
    },
    stop(): void {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
