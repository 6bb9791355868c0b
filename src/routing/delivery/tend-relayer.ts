import { chainOf } from '../../domain/chain/chain'
import { newest, type Relayer, unmined } from '../../domain/chain/relayer'
import type { ChainClient } from '../../ports/chain-client'
import type { RelayerAddress } from '../../ports/signer'
import { type RelayerPorts, tend } from './relayer-transactions'

/** Until when a version of a record needs nothing, and when it is next checked that this is still so. */
type Rest = { version: number; until: number; lookAt: number }

const lookMsMax = 30_000

/** How long a block takes to be confirmed, as a rule. */
const confirmedMs = ({ chainId, confirmations }: ChainClient): number =>
  confirmations * chainOf(chainId).blockSeconds * 1_000

const lookMs = (chain: ChainClient): number => Math.min(confirmedMs(chain) / 3, lookMsMax)

/**
 * What is left to do for a record in which nothing waits for a block: bytes are kept until their block is confirmed,
 * and slots until their orders are void. Before that can be so, the chain need not be asked.
 */
function restOf({ version, slots }: Relayer, chain: ChainClient, at: number): Rest {
  const isMined = slots.some(newest)
  const voidAt = Math.min(...slots.map(({ deadline }) => deadline * 1_000))
  const until = (isMined ? at : Math.max(at, voidAt)) + confirmedMs(chain)
  return { version, until, lookAt: isMined ? at + lookMs(chain) : until }
}

/**
 * Makes the function that tends one relayer whenever it is called, and asks the chain only when there may be something
 * to do. While mined transactions wait for their confirmation, one request now and then assures that no reorganization
 * took them back.
 */
export function tendRelayer(relayer: RelayerAddress, ports: RelayerPorts): () => Promise<void> {
  const { relayerRecords, chain, now } = ports
  let rest: Rest | null = null

  async function isResting(): Promise<boolean> {
    if (!rest || rest.until <= now()) return false
    const record = await relayerRecords.load(relayer.id)
    if (record?.version !== rest.version) return false
    if (rest.lookAt > now()) return true
    if (unmined(record, await chain.minedNonces(relayer.address)).length > 0) return false
    rest.lookAt = now() + lookMs(chain)
    return true
  }

  return async () => {
    if (await isResting()) return
    const record = await tend(relayer, ports)
    rest = record && record.slots.length > 0 ? restOf(record, chain, now()) : null
  }
}
