import { readDeployment } from '../adapters/evm/deployment'
import { nodes } from '../adapters/evm/rpc/nodes'
import { shippedCode } from '../adapters/evm/shipped-code'
import { implementationAddressOf } from '../domain/chain/account'
import { type ChainId, chainIds, chainKeyOf, chainOf } from '../domain/chain/chain'
import { type Deployment, type DeploymentQuery, type Finding, findingsOf } from '../domain/chain/deployment'
import type { Address } from '../domain/chain/hex'
import type { TokenList } from '../domain/money/token'
import { ChainsUnverified, TemporarilyUnavailable } from '../domain/unavailable'
import type { Telemetry } from '../ports/observing'
import type { RelayerAddresses } from '../ports/signer'
import { draftAccount } from '../protocols/executor/signed-order'
import type { RouteRule } from '../signer/function-rule'
import type { loadConfig } from './config/config'
import type { Log } from './logging/log'

type VerificationInput = Pick<ReturnType<typeof loadConfig>, 'config' | 'secrets'> & {
  /** The addresses whose signatures the executor must accept, if this process has them. */
  signers: readonly Address[]
  rules: readonly RouteRule[]
  relayers: RelayerAddresses
  tokens: TokenList
}
type VerificationPorts = { log: Log; onUnavailable: (what: string, error: unknown) => void; telemetry: Telemetry }

const hourMs = 3_600_000
/** Delay before an unverified chain is checked again. */
const soonMs = 5_000
const retryMs = 1_000
const timeoutMs = 5_000

/**
 * Compares the contracts on each chain with the configuration: at the start, every hour, and every five seconds until
 * they agree. Until then nothing is signed on that chain. While no chain agrees, no new deposit address is given out.
 */
export function verification(
  verificationInput: VerificationInput,
  { log, onUnavailable, telemetry }: VerificationPorts,
) {
  const verified = new Set<ChainId>()
  const write = findingsLog(log)
  const timers = new Map<ChainId, ReturnType<typeof setTimeout>>()
  const first = Promise.withResolvers<void>()
  let isStopped = false
  let isBegun = false

  async function compare(id: ChainId): Promise<Finding[]> {
    const { findings, summary } = await comparison(id, verificationInput, telemetry)
    const isFit = findings.every(({ weight }) => weight === 'TOLD')
    if (isFit) verified.add(id)
    else verified.delete(id)
    write(id, findings, isFit ? summary : null)
    return findings
  }

  async function check(id: ChainId): Promise<Finding[]> {
    const findings = await compare(id).catch((error): Finding[] => {
      onUnavailable(`checking the contracts on ${chainOf(id).name}`, error)
      return []
    })
    // A verified chain that does not respond stays verified, because its contracts cannot change.
    const againMs = verified.has(id) ? hourMs : soonMs
    const again = () => setTimeout(() => void check(id), againMs)
    if (!isStopped) timers.set(id, again())
    return findings
  }

  return {
    /**
     * Never throws.
     *
     * @returns whether the start is refused. The reasons are printed by variable and chain.
     */
    async start(): Promise<boolean> {
      const all = (await Promise.all(chainIds.map(check))).flat()
      const wrong = all.filter(({ weight }) => weight === 'WRONG').map(({ sentence }) => sentence)
      // A refused start ends the process soon. Until then it gives out no address and signs nothing.
      isBegun = wrong.length === 0
      if (isBegun) first.resolve()
      for (const sentence of wrong) console.error(`The start is refused: ${sentence}`)
      return !isBegun
    },
    /** Wraps a query to run only while the chain is verified. Throws {TemporarilyUnavailable} otherwise. */
    before:
      <Answer>(ask: (id: ChainId) => Promise<Answer>) =>
      async (id: ChainId): Promise<Answer> => {
        if (isBegun && verified.has(id)) return ask(id)
        const cause = new Error('The contracts there are not verified')
        throw new TemporarilyUnavailable(chainOf(id).name, retryMs, 'NODE', { cause })
      },
    /**
     * Waits for the first check of all chains, which always ends.
     *
     * @throws {ChainsUnverified} while no chain is verified.
     */
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

/** Reads the contracts on a chain and lists their differences from the configuration. */
export async function comparison(
  id: ChainId,
  verificationInput: VerificationInput,
  telemetry: Telemetry,
): Promise<{ findings: Finding[]; summary: Summary }> {
  const rpcUrls = verificationInput.secrets.rpcUrls[chainKeyOf(id)]
  const deploymentQuery = deploymentOf(id, verificationInput)
  const guards = verificationInput.rules.map(({ guard }) => guard)
  const names = [
    ...new Set(['AccountRegistry', 'ModularAccount', 'RouteExecutor', 'RecoveryExecutor', 'BalanceLens', ...guards]),
  ]
  const ask = nodes({ chainId: id, rpcUrls, timeoutMs, isAnswer: () => false, telemetry })
  const [seen, shipped] = await Promise.all([readDeployment(ask)(deploymentQuery), shippedCode(names)])
  const chain = chainOf(id).name
  return { findings: findingsOf(chain, seen, deploymentQuery, shipped), summary: summaryOf(chain, seen) }
}

/** Logs the findings of a chain once, and again when they change. */
function findingsLog(log: Log) {
  const said = new Map<ChainId, string>()
  /** @param read The facts read from a chain that agrees; null otherwise. */
  return (id: ChainId, findings: Finding[], read: Summary | null): void => {
    const text = JSON.stringify(findings)
    if (said.get(id) === text) return
    said.set(id, text)
    for (const { weight, sentence } of findings)
      if (weight === 'TOLD') log.write('CHAIN_REMARK', { weight }, sentence)
      else log.write('CHAIN_DIFFERS', { weight }, `${sentence.slice(0, -1)}. Nothing is signed there.`)
    if (read) log.write('CHAIN_VERIFIED', read, `The contracts on ${chainOf(id).name} match the configuration.`)
  }
}

/** Returns the deployment that the configuration describes for a chain. */
function deploymentOf(id: ChainId, { config, signers, rules, relayers, tokens }: VerificationInput): DeploymentQuery {
  return {
    ...config,
    implementation: implementationAddressOf(config.registry),
    signers,
    relayers: relayers.onChain(id).map(({ address }) => address),
    worthless: draftAccount.address,
    rules,
    tokens: tokens.all.filter(({ chainId }) => chainId === id).map(({ address }) => address),
  }
}

/** Facts of a deployment for the log. */
type Summary = ReturnType<typeof summaryOf>
const summaryOf = (chain: string, { node, holders, paused, maxNativeFeeWei, caps }: Deployment) => ({
  chain,
  node,
  holders,
  paused,
  maxNativeFeeWei: String(maxNativeFeeWei),
  caps: caps.map(({ token, limitRaw }) => `${token}: ${limitRaw}`),
})
