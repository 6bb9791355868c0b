import { concatHex, getAbiItem, toEventSelector, toFunctionSelector } from 'viem/utils'
import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Hash } from '../../domain/chain/hex'
import { messageTransmitter, messageTransmitterAbi } from '../../protocols/cctp/burn'
import type { heads } from './heads'
import type { LogReader } from './log-reader'
import { asHash, asWord, toQuantity } from './rpc/answers'
import type { Ask } from './rpc/json-rpc'

/** A burn may be minted long after it was attested, but is looked for from the time on at which it was burnt. */
const lookBackDays = 30

const usedNonces = toFunctionSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'usedNonces' }))
const messageReceived: Hash = toEventSelector(getAbiItem({ abi: messageTransmitterAbi, name: 'MessageReceived' }))

/** Which transaction minted a burn, whoever sent it. */
export const mints =
  (
    ask: Ask,
    logs: LogReader,
    chainId: ChainId,
    { confirmedNumber }: Pick<ReturnType<typeof heads>, 'confirmedNumber'>,
  ) =>
  async (nonce: Hash): Promise<Hash | null> => {
    const block = await confirmedNumber()
    const data = concatHex([usedNonces, nonce])
    if (asWord(await ask('eth_call', [{ to: messageTransmitter, data }, toQuantity(block)])) === 0n) return null
    const oldest = Math.max(0, block - Math.ceil((lookBackDays * 86_400) / chainOf(chainId).blockSeconds))
    const topics = [messageReceived, null, nonce]
    const log = await logs.newest({ address: [messageTransmitter], topics }, oldest, block)
    return log && asHash(log['transactionHash'])
  }
