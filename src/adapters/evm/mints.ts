import { concatHex, getAbiItem, toEventSelector, toFunctionSelector } from 'viem/utils'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import type { ChainClient } from '../../ports/chain-client'
import { messageTransmitter, messageTransmitterAbi } from '../../protocols/cctp/burn'
import type { heads } from './heads'
import type { LogReader } from './log-reader'
import { asAmount, asHash, asWord, toQuantity } from './rpc/answers'
import { isRevert, wordsOf } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

/** A burn may be minted long after it was attested, but is looked for from the time on at which it was burnt. */
const lookBackDays = 30

const usedNonces = toFunctionSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'usedNonces' }))
const messageReceived: Hash = toEventSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'MessageReceived' }))

/** With which words Circle's contract refuses an attestation that was good for too few blocks. */
const expired = 'Message expired and must be re-signed'

/** What a destination chain knows of burns elsewhere: by which transaction one was minted, and whether one can be. */
export function mints(
  ask: Ask,
  logs: LogReader,
  chainId: ChainId,
  { confirmedNumber }: Pick<ReturnType<typeof heads>, 'confirmedNumber'>,
): Pick<ChainClient, 'mintedBy' | 'estimateMint'> {
  return {
    async mintedBy(nonce) {
      const block = await confirmedNumber()
      const data = concatHex([usedNonces, nonce])
      if (asWord(await ask('eth_call', [{ to: messageTransmitter, data }, toQuantity(block)])) === 0n) return null
      const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
      const topics = [messageReceived, null, nonce]
      const log = await logs.newest({ address: [messageTransmitter], topics }, oldest, block)
      return log && asHash(log['transactionHash'])
    },
    async estimateMint({ target, data }) {
      try {
        const gas = asAmount(await ask('eth_estimateGas', [{ to: target, data }]))
        // A transaction that no block can take would hold up all others of its relayer.
        return 2n * gas > chainOf(chainId).gasLimitMax ? 'REFUSED' : gas
      } catch (error) {
        if (!isRevert(error)) throw error
        return wordsOf(error)?.includes(expired) ? 'EXPIRED' : 'REFUSED'
      }
    },
  }
}
