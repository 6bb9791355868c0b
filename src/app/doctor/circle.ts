import { toFunctionSelector } from 'viem/utils'
import { circleStatus } from '../../adapters/evm/circle-status'
import { asAddress, asBytes, fromTopic } from '../../adapters/evm/rpc/answers'
import { isRevert } from '../../adapters/evm/rpc/error'
import type { Ask } from '../../adapters/evm/rpc/json-rpc'
import { type ChainKey, chains } from '../../domain/chain/chain'
import { type Address, type Hex, sameAddress, zeroAddress } from '../../domain/chain/hex'
import { domainOf, messageTransmitter, tokenMessenger, tokenMinter } from '../../protocols/cctp/burn'
import { about, examined, type Finding } from './finding'

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

  return examined(line, 'Run the doctor again when a node of the chain answers.', async () => {
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
