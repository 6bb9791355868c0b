import { encodeFunctionData, slice, toEventSelector } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { limitOf, ruleKey } from '../adapters/evm/deployment'
import { asBytes, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { type ChainKey, chains } from '../domain/chain/chain'
import { type Address, type Hash, type Hex, sameAddress, zeroAddress } from '../domain/chain/hex'
import { deployedRules } from '../signer/all-rules'
import type { DeploymentFile } from './deployment-file'
import { type PastEvent, pastEvents } from './event-history'
import type { ProductContracts } from './product-contracts'

/** The events that ever gave something a power. Whether it still holds is read from the current state. */
const events = {
  relayer: toEventSelector('event RelayerAdded(address indexed relayer)'),
  signer: toEventSelector('event SignerAdded(address indexed signer)'),
  collector: toEventSelector('event CollectorAdded(address indexed collector)'),
  rule: toEventSelector('event RuleAdded(address indexed,bytes4 indexed,address indexed,address,bytes32)'),
  cap: toEventSelector('event CapSet(address indexed token, uint256 limit)'),
  module: toEventSelector('event ModuleInstalled(address indexed module, bytes32 codeHash)'),
}
type Kind = keyof typeof events

/**
 * Lists powers on a chain that the deployment file does not name, in sentences: relayers, signers, collectors, rules,
 * caps and modules. The events that gave them are the source, and only current powers are listed.
 *
 * @throws {EventsUnread} if the node does not return the history.
 */
export async function unnamedPowers(
  ask: Ask,
  key: ChainKey,
  { settings, wanted: ofChains }: DeploymentFile,
  { registry, executor, recoveryExecutor }: ProductContracts,
): Promise<string[]> {
  const { name } = chains[key]
  const wantedSettings = ofChains[key]
  const block = asNumber(asObject(await ask('eth_getBlockByNumber', ['latest', false]))['number'])
  const history = await pastEvents(ask, [registry.address, executor.address], Object.values(events), { last: block })
  const given = Map.groupBy(history, kindOf)
  const call = async (to: Address, data: Hex) =>
    BigInt(slice(asBytes(await ask('eth_call', [{ to, data }, toQuantity(block)])), 0, 32))
  const ofExecutor = (functionName: 'isRelayer' | 'isSigner' | 'isCollector' | 'guardOf', arg: Hex) =>
    call(executor.address, encodeFunctionData({ abi: routeExecutorAbi, functionName, args: [arg] } as never))
  const findings: string[] = []

  const addressesOf = (kind: Kind) => [...new Set((given.get(kind) ?? []).map(({ topics }) => addressIn(topics[1]!)))]
  const isNamed = (who: Address, named: readonly Address[]) => named.some((each) => sameAddress(each, who))
  for (const [kind, functionName] of [
    ['relayer', 'isRelayer'],
    ['signer', 'isSigner'],
    ['collector', 'isCollector'],
  ] as const)
    for (const who of addressesOf(kind))
      if (!isNamed(who, wantedSettings[`${kind}s`]) && (await ofExecutor(functionName, who)) === 1n)
        findings.push(`${who} is a ${kind} on ${name}, but the file does not list it as a current one.`)
  for (const token of addressesOf('cap')) {
    if (wantedSettings.caps.some((cap) => sameAddress(cap.token, token))) continue
    const limit = await limitOf(ask, executor.address, token, toQuantity(block))
    if (limit > 0n) findings.push(`${token} has a cap of ${limit} on ${name}, but the file names none.`)
  }
  const rules = deployedRules(settings.relaySolver)
  for (const { topics } of given.get('rule') ?? []) {
    const [target, selector, spender] = [addressIn(topics[1]!), slice(topics[2]!, 0, 4), addressIn(topics[3]!)]
    const isOurs = rules.some((rule) => sameAddress(rule.target, target) && rule.selector === selector)
    // These are the spenders of our rules. Any other spender may take the money of an account that makes the call.
    if (isOurs && isNamed(spender, [target, zeroAddress])) continue
    if ((await ofExecutor('guardOf', ruleKey({ target, selector, spender }))) !== 0n)
      findings.push(
        `The function ${selector} of ${target} may be called on ${name} with ${spender} as its spender, but no rule of this release allows that.`,
      )
  }
  for (const module of addressesOf('module')) {
    if (isNamed(module, [executor.address, recoveryExecutor.address])) continue
    const data = encodeFunctionData({ abi: accountRegistryAbi, functionName: 'isExecutor', args: [module] })
    if ((await call(registry.address, data)) === 1n)
      findings.push(
        `${module} is a module on ${name}, but is neither the executor nor the RecoveryExecutor of the file.`,
      )
  }
  return findings
}

const addressIn = (topic: Hash): Address => slice(topic, 12)

const kindOf = ({ topics }: PastEvent) => (Object.keys(events) as Kind[]).find((kind) => events[kind] === topics[0])!
