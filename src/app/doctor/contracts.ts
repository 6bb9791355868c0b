import { toFunctionSelector } from 'viem/utils'
import { asAddress, asAmount, asBytes, asObject } from '../../adapters/evm/rpc/answers'
import { isRevert, rpcError } from '../../adapters/evm/rpc/error'
import { nodes } from '../../adapters/evm/rpc/nodes'
import { noTelemetry } from '../../adapters/no-telemetry'
import { delegatedRelayer } from '../../deploying/holders'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { type Address, isDelegation, zeroAddress } from '../../domain/chain/hex'
import type { TokenList } from '../../domain/money/token'
import { lifiDiamond } from '../../protocols/lifi/diamond'
import type { RouteRule } from '../../signer/function-rule'
import { relayerAddresses } from '../../signer/relayers'
import type { Loaded } from '../process/base'
import { comparison } from '../verification'
import { circleContracts } from './circle'
import { type Area, about, codeOf, examined, type Finding } from './finding'

const timeoutMs = 10_000
/** Gas of a route on a quiet day, at most, with the deployment of an account. */
const routeGas = 400_000n
/** A relayer that can pay for fewer routes stops within hours. */
const routesWanted = 20n
const facetAddress = toFunctionSelector('function facetAddress(bytes4)')

/**
 * Checks on each chain: our contracts against the configuration, the relayers' funds, and the external contracts that
 * we call.
 */
export function contractsOf(
  loaded: Loaded,
  tokens: TokenList,
  rules: readonly RouteRule[],
  { addresses: signers, relayers }: { addresses: readonly Address[]; relayers: readonly Address[] },
): Area {
  const { config, secrets } = loaded
  const known = relayerAddresses(relayers)
  const given = { config, secrets, signers, rules, relayers: known, tokens }

  async function ofChain(key: ChainKey): Promise<Finding[]> {
    const { id, name } = chains[key]
    const ask = nodes({
      chainId: id,
      rpcUrls: secrets.rpcUrls[key],
      timeoutMs,
      isAnswer: () => false,
      telemetry: noTelemetry,
    })
    const deployed = about('contracts', name)
    const advice = 'Run the doctor again when a node of the chain answers.'
    const found = await Promise.all([
      examined(deployed, advice, async () => {
        const { findings } = await comparison(id, given, noTelemetry)
        if (findings.length === 0) return deployed.good('The contracts match the configuration.')
        return findings.map(({ weight, sentence }) =>
          // A TOLD finding may be intended; the chain does not show that.
          (weight === 'TOLD' ? deployed.unknown : deployed.bad)(sentence, adviceOf[weight]),
        )
      }),
      ...known.onChain(id).map(({ address }) => {
        const line = about('relayer-key', `${name}, relayer ${address}`)
        return examined(line, advice, async () =>
          isDelegation(asBytes(await ask('eth_getCode', [address, 'latest'])))
            ? line.bad(delegatedRelayer(address, name), 'Use another key, or end the delegation with this one.')
            : line.good('It delegates to no other code.'),
        )
      }),
      ...known.onChain(id).map(({ address }) => {
        const line = about('relayer-balance', `${name}, relayer ${address}`)
        return examined(line, advice, async () => {
          const balance = asAmount(await ask('eth_getBalance', [address, 'latest']))
          const block = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
          const tip = asAmount(await ask('eth_maxPriorityFeePerGas', []))
          const routes = balance / (routeGas * (asAmount(block['baseFeePerGas'] ?? '0x0') + tip + 1n))
          const { symbol } = chains[key].native
          return routes >= routesWanted
            ? line.good(
                `It pays for ${routes > 1_000_000n ? 'more than a million' : routes} routes at the current price.`,
              )
            : line.bad(`It pays for ${routes} routes at the current price.`, `Send it ${symbol} on ${name}.`)
        })
      }),
      lifiFunctions(key, rules, ask),
      ...(config.cctpUrl ? [circleContracts(key, ask)] : []),
    ])
    return found.flat()
  }

  return { name: 'Contracts', examine: async () => (await Promise.all(chainKeys.map(ofChain))).flat() }
}

const adviceOf = {
  WRONG:
    'Correct the address, or deploy the contracts as contracts/README.md says: the service does not start until then.',
  UNFIT: 'Change this on the chain, or correct the configuration: until then nothing is signed there.',
  TOLD: 'Change this on the chain if it is not intended.',
} as const

/** Whether LI.FI’s Diamond still has every function that may be called. */
async function lifiFunctions(
  key: ChainKey,
  rules: readonly RouteRule[],
  ask: ReturnType<typeof nodes>,
): Promise<Finding[]> {
  const line = about('lifi-functions', chains[key].name)
  const own = rules.filter(({ target }) => target === lifiDiamond)
  const missing: string[] = []
  for (const { selector, guard } of own) {
    const data = `${facetAddress}${selector.slice(2).padEnd(64, '0')}`
    try {
      const answer = asBytes(await ask('eth_call', [{ to: lifiDiamond, data }, 'latest']))
      if (answer.length !== 66 || asAddress(`0x${answer.slice(26)}`) === zeroAddress)
        missing.push(`${selector} of ${guard}`)
    } catch (error) {
      if (isRevert(error)) missing.push(`${selector} of ${guard}`)
      else return [line.unknown(`The check failed (${codeOf(rpcError(error))}).`, 'Run the doctor again.')]
    }
  }
  if (missing.length === 0) return [line.good('LI.FI’s contract has every function that may be called.')]
  const some = `${missing.length} of the ${own.length} functions that may be called`
  const sentence = `LI.FI’s contract lacks ${some} (${missing.join(', ')}): no route that uses them is offered there.`
  return missing.length === own.length
    ? [line.bad(sentence, 'Check LI.FI’s changelog and update this release: LI.FI routes nothing there.')]
    : [line.unknown(sentence, 'Not every bridge is on every chain: compare with LI.FI’s list of deployments.')]
}
