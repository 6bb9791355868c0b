import { implementationAddressOf } from './account'
import { type Address, type Hex, zeroAddress } from './hex'

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
export function findingsOf(
  chain: string,
  deployment: Deployment,
  deploymentQuery: DeploymentQuery,
  shipped: ShippedCode,
): Finding[] {
  const findings: Finding[] = []
  const add: AddFinding = (weight, isSo, sentence) => {
    if (isSo) findings.push({ weight, sentence: `${sentence} on ${chain}.` })
  }
  const wrong = (name: string, code: Hex, contract: string) => {
    add('WRONG', code === '0x', `${name} has no code`)
    add('WRONG', code !== '0x' && !isCodeOf(shipped[contract]!, code), `${name} is not the shipped ${contract}`)
  }
  wrong('ACCOUNT_REGISTRY_ADDRESS', deployment.code.registry, 'AccountRegistry')
  wrong('The account behind ACCOUNT_REGISTRY_ADDRESS', deployment.code.implementation, 'ModularAccount')
  wrong('ROUTE_EXECUTOR_ADDRESS', deployment.code.executor, 'RouteExecutor')
  if (findings.length > 0) return findings
  const isOther = (one: Address, other: Address) => one.toLowerCase() !== other.toLowerCase()
  add(
    'WRONG',
    isOther(deployment.implementation, implementationAddressOf(deploymentQuery.registry)) ||
      isOther(deployment.accountRegistry, deploymentQuery.registry),
    'ACCOUNT_REGISTRY_ADDRESS deploys accounts of another registry',
  )
  add(
    'WRONG',
    isOther(deployment.executorRegistry, deploymentQuery.registry),
    'ROUTE_EXECUTOR_ADDRESS serves another registry',
  )

  add('UNFIT', !deployment.isModule, 'ROUTE_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS')
  if (deployment.recoveryExecutor) findingsOfRecovery(deployment.recoveryExecutor, deploymentQuery, shipped, add)
  add('UNFIT', deployment.trustsDrafts, 'ROUTE_EXECUTOR_ADDRESS lists the signer of drafts, whose key is public,')
  add(
    'UNFIT',
    deployment.signers.includes(false),
    'The address of ROUTE_SIGNER_PRIVATE_KEY is not a signer of the executor',
  )
  for (const [n, isListed] of deployment.relayers.entries())
    add('UNFIT', !isListed, `The relayer ${deploymentQuery.relayers[n]} is not listed by the executor`)
  add('UNFIT', !deployment.isCollector, 'FEE_COLLECTOR_ADDRESS is not a collector of the executor')
  add('UNFIT', deployment.holders.includes(zeroAddress), 'A holder of ACCOUNT_REGISTRY_ADDRESS is missing')
  for (const [name, codes] of guardCodes(deployment)) {
    const isOther = codes.some((code) => code !== '0x' && !isCodeOf(shipped[name]!, code))
    add('UNFIT', isOther, `${name} is not the shipped contract`)
    add('UNFIT', codes.includes('0x'), `A rule of ${name} is missing in the executor`)
  }
  if (!isLocal(deployment.node)) {
    const publishedKeys = [
      ...deploymentQuery.signers,
      ...deploymentQuery.relayers,
      deploymentQuery.collector,
      ...deployment.holders,
    ].filter(isPublished)
    add('WRONG', publishedKeys.length > 0, `Published keys are in use (${publishedKeys.join(', ')})`)
  }
  add('TOLD', deployment.paused, 'The executor is paused')
  add('TOLD', !isCodeOf(shipped['BalanceLens']!, deployment.code.lens), 'BALANCE_LENS_ADDRESS is not the shipped lens')
  const uncapped = deployment.caps.filter(({ limitRaw }) => limitRaw === 0n).length
  add(
    'TOLD',
    uncapped > 0,
    `${uncapped} of ${deployment.caps.length} listed tokens have a cap of 0 and cannot be routed`,
  )
  return findings
}

type AddFinding = (weight: Finding['weight'], isSo: boolean, sentence: string) => void

function findingsOfRecovery(
  { code, executor, isModule }: NonNullable<Deployment['recoveryExecutor']>,
  deploymentQuery: DeploymentQuery,
  shipped: ShippedCode,
  add: AddFinding,
): void {
  const isOurs = isCodeOf(shipped['RecoveryExecutor']!, code)
  add('UNFIT', !isOurs, 'RECOVERY_EXECUTOR_ADDRESS is not the shipped RecoveryExecutor')
  const servesOther = executor.toLowerCase() !== deploymentQuery.executor.toLowerCase()
  add('UNFIT', isOurs && servesOther, 'RECOVERY_EXECUTOR_ADDRESS serves another ROUTE_EXECUTOR_ADDRESS')
  add('UNFIT', isOurs && !isModule, 'RECOVERY_EXECUTOR_ADDRESS is not a module of ACCOUNT_REGISTRY_ADDRESS')
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

/**
 * Addresses whose private keys were published in books, tools or repositories. On a real chain, anyone can act as one
 * of them.
 */
const published = new Set(
  [
    // The accounts of the mnemonic "test test … junk", which every development node funds.
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
    '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
    '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
    '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
    '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    '0xBcd4042DE499D14e55001CcbB24a551F3b954096',
    '0x71bE63f3384f5fb98995898A86B02Fb2426c5788',
    '0xFABB0ac9d68B0B445fB7357272Ff202C5651694a',
    '0x1CBd3b2770909D4e10f157cABC84C7264073C9Ec',
    '0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097',
    '0xcd3B766CCDd6AE721141F452C550Ca635964ce71',
    '0x2546BcD3c84621e976D8185a91A922aE77ECEc30',
    '0xbDA5747bFD65F08deb54cb465eB87D40e51B197E',
    '0xdD2FD4581271e230360230F9337D5c0430Bf44C0',
    '0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199',
    // The accounts of the local chains that come with this service.
    '0x1A56403B699bac2E7621D1aC1fDE63546FB46cc5',
    '0x29dc115F90A97edECC811047F4D4a5D358cf92b2',
    '0xE5C582a392C8751034863DD61482D0E99390dF02',
    '0xC9ac5dC39FF82DEe677af847f03eA013e664f2B6',
    '0x74e92E9C1bc9F1eA57522B25709B945b61c07d1c',
    '0xE7a59C6C2C08fE2D6C3Df654Aa48CBB3f84E9C36',
    '0xb6e550c65936247f4FdA8bc487403757877E8886',
    '0x41b15B623B0e6c1c2213ed9725D2430b9f6DEe4D',
    '0xbBf73942759a9B3eD9Ee082F5741bE5Ab0c1cfDc',
    '0xFb6D688d0229DC0FB855a42444e302cB344b0BC6',
    '0xA78803ff16E5de59B905E731cD0B24B2DD857Ef4',
    '0xCF95311D2609B9089f8CA348Daf9fB6924F387DE',
    '0xD844F196292D8a59e91b765c98cbC6A5b99ef533',
    '0x3D81221fa9BA96803b709B7c14155750E7744b3F',
    '0xBAc0C26757ecaE584E160E743e39Af880f32F3aa',
  ].map((address) => address.toLowerCase()),
)

export const isPublished = (address: Address): boolean => published.has(address.toLowerCase())
