import { tokenMetadata } from '../adapters/evm/balances'
import { asBytes } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { type ChainKey, chains } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import { deployedRules } from '../signer/all-rules'
import type { GuardName } from '../signer/function-rule'
import type { DeploymentFile } from './deployment-file'

const callers: Record<GuardName, string> = {
  LifiAcrossGuard: 'LI.FI’s contract',
  LifiStargateGuard: 'LI.FI’s contract',
  LifiPolymerGuard: 'LI.FI’s contract',
  LifiSwapGuard: 'LI.FI’s contract',
  RelayDepositGuard: 'Relay’s contract',
  CctpBurnGuard: 'Circle’s contract',
}

/**
 * Faults, on one chain, of the external contracts that a deployment names permanently: the contracts that routes call,
 * and the tokens that have a cap there. Each is a sentence that names the address.
 */
export async function namedCodeObjections(
  ask: Ask,
  key: ChainKey,
  { settings, capped }: Pick<DeploymentFile, 'settings' | 'capped'>,
): Promise<string[]> {
  const { name } = chains[key]
  const metadataOf = tokenMetadata(ask)
  const hasCode = async (address: Address) => asBytes(await ask('eth_getCode', [address, 'latest'])) !== '0x'
  const called = new Map(deployedRules(settings.relaySolver).map(({ target, guard }) => [target, callers[guard]]))
  const calls = [...called].map(async ([target, what]) =>
    (await hasCode(target)) ? [] : [`${what} ${target} has no code on ${name}.`],
  )
  const tokens = capped[key].map(async (token) => {
    if (!(await hasCode(token))) return [`The token ${token} in the caps has no code on ${name}.`]
    return (await metadataOf(token)) ? [] : [`${token} in the caps is not a token on ${name}: it returns no decimals.`]
  })
  return (await Promise.all([...calls, ...tokens])).flat()
}
