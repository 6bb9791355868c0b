import { implementationAddressOf } from './account'
import { type Address, type Hex, zeroAddress } from './hex'
import { isPublished } from './published-keys'

type Rule = { target: Address; selector: Hex; guard: string }

/** The part of the configuration that is checked on chain. */
export type DeploymentQuery = {
  registry: Address
  implementation: Address
  executor: Address
  /** Null if none is configured. */
  recoveryExecutor: Address | null
  lens: Address
  collector: Address
  /** Addresses of the keys that this process holds or was given. */
  signers: readonly Address[]
  relayers: readonly Address[]
  /** Signer of drafts. Its key is public, so no executor may trust it. */
  worthless: Address
  rules: readonly Rule[]
  tokens: readonly Address[]
}

/** State of the contracts on chain. Addresses are lower case. A missing value is zero, false or empty code. */
export type Deployment = {
  /** Client version that the node reports. */
  node: string
  code: Record<'registry' | 'implementation' | 'executor' | 'lens', Hex>
  implementation: Address
  accountRegistry: Address
  executorRegistry: Address
  isModule: boolean
  recoveryExecutor: { code: Hex; executor: Address; isModule: boolean } | null
  signers: boolean[]
  relayers: boolean[]
  isCollector: boolean
  trustsDrafts: boolean
  holders: Address[]
  paused: boolean
  maxNativeFeeWei: bigint
  guards: (Rule & { spender: Address; at: Address; code: Hex })[]
  caps: { token: Address; limitRaw: bigint }[]
}

/**
 * Severity of a finding.
 *
 * - WRONG: the contract is not ours. Money sent to one of its addresses might be lost, so nothing starts on this chain.
 * - UNFIT: our signatures would fail or could be misused, so nothing is signed.
 * - TOLD: routing works, but an operator should be informed.
 */
export type Finding = { weight: 'WRONG' | 'UNFIT' | 'TOLD'; sentence: string }

/** Compiled runtime code by contract name, as we ship it. */
export type ShippedCode = Record<string, Hex>

/** Returns, in sentences, how a chain differs from the configuration. An empty list means no difference. */
export function findingsOf(chain: string, seen: Deployment, asked: DeploymentQuery, shipped: ShippedCode): Finding[] {
  const findings: Finding[] = []
  const found: Found = (weight, isSo, sentence) => {
    if (isSo) findings.push({ weight, sentence: `${sentence} on ${chain}.` })
  }
  const wrong = (name: string, code: Hex, contract: string) => {
    found('WRONG', code === '0x', `${name} has no code`)
    found('WRONG', code !== '0x' && !isCodeOf(shipped[contract]!, code), `${name} is not the shipped ${contract}`)
  }
  wrong('ACCOUNT_REGISTRY_ADDRESS', seen.code.registry, 'AccountRegistry')
  wrong('The account behind ACCOUNT_REGISTRY_ADDRESS', seen.code.implementation, 'ModularAccount')
  wrong('ROUTE_EXECUTOR_ADDRESS', seen.code.executor, 'RouteExecutor')
  if (findings.length > 0) return findings
  const isOther = (one: Address, other: Address) => one.toLowerCase() !== other.toLowerCase()
  found(
    'WRONG',
    isOther(seen.implementation, implementationAddressOf(asked.registry)) ||
      isOther(seen.accountRegistry, asked.registry),
    'ACCOUNT_REGISTRY_ADDRESS deploys accounts of another registry',
  )
  found('WRONG', isOther(seen.executorRegistry, asked.registry), 'ROUTE_EXECUTOR_ADDRESS serves another registry')

  found('UNFIT', !seen.isModule, 'ROUTE_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS')
  if (seen.recoveryExecutor) findingsOfRecovery(seen.recoveryExecutor, asked, shipped, found)
  found('UNFIT', seen.trustsDrafts, 'ROUTE_EXECUTOR_ADDRESS lists the signer of drafts, whose key is public,')
  found(
    'UNFIT',
    seen.signers.includes(false),
    'The address of ROUTE_SIGNER_PRIVATE_KEY is not a signer of the executor',
  )
  for (const [n, isListed] of seen.relayers.entries())
    found('UNFIT', !isListed, `The relayer ${asked.relayers[n]} is not listed by the executor`)
  found('UNFIT', !seen.isCollector, 'FEE_COLLECTOR_ADDRESS is not a collector of the executor')
  found('UNFIT', seen.holders.includes(zeroAddress), 'A holder of ACCOUNT_REGISTRY_ADDRESS is missing')
  for (const [name, codes] of guardCodes(seen)) {
    const isOther = codes.some((code) => code !== '0x' && !isCodeOf(shipped[name]!, code))
    found('UNFIT', isOther, `${name} is not the shipped contract`)
    found('UNFIT', codes.includes('0x'), `A rule of ${name} is missing in the executor`)
  }
  if (!isLocal(seen.node)) {
    const known = [...asked.signers, ...asked.relayers, asked.collector, ...seen.holders].filter(isPublished)
    found('WRONG', known.length > 0, `Published keys are in use (${known.join(', ')})`)
  }
  found('TOLD', seen.paused, 'The executor is paused')
  found('TOLD', !isCodeOf(shipped['BalanceLens']!, seen.code.lens), 'BALANCE_LENS_ADDRESS is not the shipped lens')
  const uncapped = seen.caps.filter(({ limitRaw }) => limitRaw === 0n).length
  found('TOLD', uncapped > 0, `${uncapped} of ${seen.caps.length} listed tokens have a cap of 0 and cannot be routed`)
  return findings
}

type Found = (weight: Finding['weight'], isSo: boolean, sentence: string) => void

function findingsOfRecovery(
  { code, executor, isModule }: NonNullable<Deployment['recoveryExecutor']>,
  asked: DeploymentQuery,
  shipped: ShippedCode,
  found: Found,
): void {
  const isOurs = isCodeOf(shipped['RecoveryExecutor']!, code)
  found('UNFIT', !isOurs, 'RECOVERY_EXECUTOR_ADDRESS is not the shipped RecoveryExecutor')
  const servesOther = executor.toLowerCase() !== asked.executor.toLowerCase()
  found('UNFIT', isOurs && servesOther, 'RECOVERY_EXECUTOR_ADDRESS serves another ROUTE_EXECUTOR_ADDRESS')
  found('UNFIT', isOurs && !isModule, 'RECOVERY_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS')
}

/** Returns the code behind the rules of each guard. */
const guardCodes = ({ guards }: Deployment): Map<string, Hex[]> => {
  const byName = Map.groupBy(guards, ({ guard }) => guard)
  return new Map([...byName].map(([name, rules]) => [name, rules.map(({ code }) => code)]))
}

/** Whether the node reports that it is a development node. A flag of our own could be set by mistake. */
const isLocal = (node: string): boolean => /^(anvil|hardhatnetwork|ganache)\//i.test(node)

const slot = `7f${'0'.repeat(64)}`

/**
 * Compares code byte for byte. The shipped code has placeholder words for values that the constructor sets. Any word
 * matches a placeholder.
 */
export function isCodeOf(shipped: Hex, code: Hex): boolean {
  if (shipped.length !== code.length) return false
  let masked = code.toLowerCase()
  for (let at = shipped.indexOf(slot); at !== -1; at = shipped.indexOf(slot, at + slot.length)) {
    if (at % 2 === 0) masked = masked.slice(0, at + 2) + '0'.repeat(64) + masked.slice(at + slot.length)
  }
  return masked === shipped.toLowerCase()
}
