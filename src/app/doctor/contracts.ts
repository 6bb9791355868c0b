import { toFunctionSelector } from 'viem/utils'
import { circleStatus } from '../../adapters/evm/circle-status'
import { asAddress, asAmount, asBytes, asObject, fromTopic } from '../../adapters/evm/rpc/answers'
import { isRevert, rpcError } from '../../adapters/evm/rpc/error'
import type { Ask } from '../../adapters/evm/rpc/json-rpc'
import { nodes } from '../../adapters/evm/rpc/nodes'
import { noTelemetry } from '../../adapters/no-telemetry'
import { delegatedRelayer } from '../../deploying/holders'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { type Address, type Hex, isDelegation, sameAddress, zeroAddress } from '../../domain/chain/hex'
import type { TokenList } from '../../domain/money/token'
import { domainOf, messageTransmitter, tokenMessenger, tokenMinter } from '../../protocols/cctp/burn'
import { lifiDiamond } from '../../protocols/lifi/diamond'
import type { RouteRule } from '../../signer/function-rule'
import { relayerAddresses } from '../../signer/relayers'
import type { Loaded } from '../process/base'
import { comparison } from '../verification'
import { type Area, about, codeOf, type Finding, findingsOf } from './finding'

const timeoutMs = 10_000
/** Most gas of a route on a quiet day, including the deployment of an account. */
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
  const addresses = relayerAddresses(relayers)
  const given = { config, secrets, signers, rules, relayers: addresses, tokens }

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
    const advice = 'Run the doctor again when a node of the chain responds.'
    const results = await Promise.all([
      findingsOf(deployed, advice, async () => {
        const { findings } = await comparison(id, given, noTelemetry)
        if (findings.length === 0) return deployed.good('The contracts match the configuration.')
        return findings.map(({ weight, sentence }) =>
          // A TOLD finding may be intended; the chain does not show that.
          (weight === 'TOLD' ? deployed.unknown : deployed.bad)(sentence, adviceOf[weight]),
        )
      }),
      ...addresses.onChain(id).map(({ address }) => {
        const line = about('relayer-key', `${name}, relayer ${address}`)
        return findingsOf(line, advice, async () =>
          isDelegation(asBytes(await ask('eth_getCode', [address, 'latest'])))
            ? line.bad(delegatedRelayer(address, name), 'Use another key, or end the delegation with this one.')
            : line.good('It delegates to no other code.'),
        )
      }),
      ...addresses.onChain(id).map(({ address }) => {
        const line = about('relayer-balance', `${name}, relayer ${address}`)
        return findingsOf(line, advice, async () => {
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
    return results.flat()
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

const localMessageTransmitter = toFunctionSelector('function localMessageTransmitter()')
const localMinter = toFunctionSelector('function localMinter()')
const localDomain = toFunctionSelector('function localDomain()')
const version = toFunctionSelector('function version()')

/** Whether Circle's CCTP contracts are at the expected addresses, belong together and are for this chain. */
export async function circleContracts(key: ChainKey, ask: Ask): Promise<Finding[]> {
  const { id, name } = chains[key]
  const line = about('cctp-contracts', name)
  const isThere = async (address: Address): Promise<boolean> =>
    asBytes(await ask('eth_getCode', [address, 'latest'])) !== '0x'
  /** Returns the single word that a function returns, or null if the function does not exist. */
  async function wordOf(to: Address, data: Hex): Promise<Hex | null> {
    try {
      const answer = asBytes(await ask('eth_call', [{ to, data }, 'latest']))
      return answer.length === 66 ? answer : null
    } catch (error) {
      if (isRevert(error)) return null
      throw error
    }
  }

  return findingsOf(line, 'Run the doctor again when a node of the chain responds.', async () => {
    const areThere = await Promise.all([tokenMessenger, messageTransmitter, tokenMinter].map(isThere))
    if (areThere.includes(false)) return line.bad('Circle’s CCTP contracts are missing.', advice)
    const [linked, minter, domain, versionSaid] = await Promise.all([
      wordOf(tokenMessenger, localMessageTransmitter),
      wordOf(tokenMessenger, localMinter),
      wordOf(messageTransmitter, localDomain),
      wordOf(messageTransmitter, version),
    ])
    if (linked === null || !sameAddress(asAddress(fromTopic(linked)), messageTransmitter))
      return line.bad('Circle’s TokenMessenger sends messages through an unexpected contract.', advice)
    if (minter === null || !sameAddress(asAddress(fromTopic(minter)), tokenMinter))
      return line.bad('Circle’s TokenMessenger mints through an unexpected contract.', advice)
    if (domain === null || BigInt(domain) !== BigInt(domainOf(id)))
      return line.bad(`Circle’s domain of this chain is not ${domainOf(id)}.`, advice)
    if (versionSaid === null || BigInt(versionSaid) !== 1n)
      return line.bad('Circle’s messages there have another version.', advice)
    // The call needs an address, and no account uses the zero address.
    const status = await circleStatus(ask, id).circleStatus(zeroAddress)
    if (status === null) return line.bad('Circle’s contracts do not report which addresses they block.', advice)
    if (status.isPaused)
      return line.unknown('Circle has paused its USDC or CCTP there.', 'Wait: deposits take another provider, or wait.')
    return line.good('Circle’s CCTP contracts are the expected ones.')
  })
}

const advice =
  'Pause the provider cctp, and update this release: money burned there might not be minted. Keep CCTP_URL set until all money in flight has arrived, because only Switchyard mints it.'
