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

/**
 * How many days the search for a mint goes back. A mint can come long after the attestation, but the worker searches
 * from the burn on, so it finds the mint soon after it happens.
 */
const lookBackDays = 30

const usedNonces = toFunctionSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'usedNonces' }))
const messageReceived: Hash = toEventSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'MessageReceived' }))

/** Circle's message for an attestation that was valid for a number of blocks and has expired. */
const expired = 'Message expired and must be re-signed'

/** Reads on a destination chain which transaction minted a burn, and whether a burn can be minted. */
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
        // A transaction that fits into no block would hold up its relayer's other transactions.
        return 2n * gas > chainOf(chainId).gasLimitMax ? 'REFUSED' : gas
      } catch (error) {
        if (!isRevert(error)) throw error
        return wordsOf(error)?.includes(expired) ? 'EXPIRED' : 'REFUSED'
      }
    },
  }
}
