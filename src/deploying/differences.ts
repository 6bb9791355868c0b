import { readDeployment } from '../adapters/evm/deployment'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { shippedCode } from '../adapters/evm/shipped-code'
import { implementationAddressOf } from '../domain/chain/account'
import { type ChainKey, chains } from '../domain/chain/chain'
import { findingsOf } from '../domain/chain/deployment'
import { sameAddress } from '../domain/chain/hex'
import { draftAccount } from '../protocols/executor/signed-order'
import { deployedRules } from '../signer/all-rules'
import type { DeploymentFile } from './deployment-file'
import type { ProductContracts } from './product-contracts'

/** How a chain differs from the deployment file, in sentences: code, roles, rules, caps and holders are read back. */
export async function differences(
  ask: Ask,
  key: ChainKey,
  { settings, liveHolders, wanted: ofChains }: DeploymentFile,
  { registry, executor, recoveryExecutor, lens }: ProductContracts,
): Promise<string[]> {
  const { name } = chains[key]
  const wantedSettings = ofChains[key]
  const rules = deployedRules(settings.relaySolver)
  const contracts = ['AccountRegistry', 'ModularAccount', 'RouteExecutor', 'RecoveryExecutor', 'BalanceLens']
  const query = {
    registry: registry.address,
    implementation: implementationAddressOf(registry.address),
    executor: executor.address,
    recoveryExecutor: recoveryExecutor.address,
    lens: lens.address,
    collector: wantedSettings.collectors[0]!,
    signers: wantedSettings.signers,
    relayers: wantedSettings.relayers,
    worthless: draftAccount.address,
    rules,
    tokens: wantedSettings.caps.map(({ token }) => token),
  }
  const [seen, shipped] = await Promise.all([
    readDeployment(ask)(query),
    shippedCode([...new Set([...contracts, ...rules.map(({ guard }) => guard)])]),
  ])
  // The file may state a cap of 0, so caps are compared below.
  const differences = findingsOf(name, { ...seen, caps: [] }, query, shipped).map(({ sentence }) => sentence)
  const capOf = new Map(seen.caps.map(({ token, limitRaw }) => [token, limitRaw]))
  for (const { token, limit } of wantedSettings.caps)
    if (capOf.get(token) !== limit)
      differences.push(`The cap of ${token} is ${capOf.get(token)} instead of ${limit} on ${name}.`)
  if (seen.maxNativeFeeWei !== wantedSettings.maxNativeFeeWei)
    differences.push(
      `The largest native fee is ${seen.maxNativeFeeWei} instead of ${wantedSettings.maxNativeFeeWei} on ${name}.`,
    )
  for (const [n, role] of (['admin', 'guardian', 'recovery'] as const).entries())
    if (!sameAddress(seen.holders[n]!, liveHolders[role]))
      differences.push(`The ${role} is ${seen.holders[n]} instead of ${liveHolders[role]} on ${name}.`)
  return differences
}
