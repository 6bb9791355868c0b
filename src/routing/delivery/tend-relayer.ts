import { chainOf } from '../../domain/chain/chain'
import { inFlight, newest, type Relayer, unmined } from '../../domain/chain/relayer'
import { isAwaited } from '../../domain/chain/slot-line'
import type { ChainClient } from '../../ports/chain-client'
import type { RelayerAddress } from '../../ports/signer'
import type { Wakes } from '../../ports/wakes'
import { handOverSlots, isOwn } from './relayer-slots'
import { type RelayerPorts, type Tended, tend } from './relayer-transactions'

/**
 * How long a version of a record can be left alone, and when that is checked again. `waitsAt` is the number of mined
 * nonces at which transactions still wait for a block; null while none does.
 */
type Rest = { version: number; until: number; lookAt: number; waitsAt: number | null }

const lookMsMax = 30_000
/** How soon a transaction is sent again. The time doubles with its age. */
const resendMs = 4_000
const resendMsMax = 30_000
/** How long another process may take before this one tends what that one wrote. */
const leaveMs = 5_000
const leaveConfirmedMs = 20_000

/** How long a block takes to be confirmed, as a rule. */
const confirmedMs = ({ chainId, confirmations }: ChainClient): number =>
  confirmations * chainOf(chainId).blockSeconds * 1_000

const lookMs = (chain: ChainClient): number => Math.min(confirmedMs(chain) / 3, lookMsMax)

/** When the newest transaction of a record that has some on their way was signed. */
const lastSentAt = (record: Relayer): number => Math.max(...inFlight(record).map((slot) => newest(slot)!.at))

/**
 * How long a record can be left alone, by what is left to do for it. While transactions wait for a block, they are sent
 * again now and then. Bytes are kept until their block is confirmed, and slots until their orders are void. Before that
 * can be so, the chain need not be asked. A process that did not write the record leaves it a while longer to the one
 * that did.
 */
function restOf({ record, mined }: Tended, chain: ChainClient, isOurs: boolean, at: number): Rest {
  const { version, slots } = record
  if (unmined(record, mined).length > 0) {
    const age = at - lastSentAt(record)
    const until = at + Math.min(Math.max(resendMs, age), resendMsMax)
    return { version, until, lookAt: isOurs ? at + chainOf(chain.chainId).blockSeconds * 500 : until, waitsAt: mined }
  }
  const isMined = slots.some(newest)
  const voidAt = Math.min(...slots.map(({ deadline }) => deadline * 1_000))
  const leave = isOurs ? 0 : leaveConfirmedMs
  const until = (isMined ? at : Math.max(at, voidAt)) + confirmedMs(chain) + leave
  return { version, until, lookAt: isMined && isOurs ? at + lookMs(chain) : until, waitsAt: null }
}

/** Whether nobody waits for a slot although some are free. */
const mayRest = ({ record, mined }: Tended): boolean =>
  record.slots.length > 0 && (!isAwaited(record) || unmined(record, mined).length > 0)

/** How long a record that was just written can be left alone. Whoever wrote it has sent its newest transaction. */
function restOfNew(record: Relayer, chain: ChainClient, isOurs: boolean, at: number): Rest | null {
  if (inFlight(record).length === 0) return restOf({ record, mined: 0 }, chain, isOurs, at)
  const until = lastSentAt(record) + (isOurs ? resendMs : leaveMs)
  return until > at ? { version: record.version, until, lookAt: until, waitsAt: null } : null
}

/**
 * Makes the function that tends one relayer whenever it is called, and asks the chain only when there may be something
 * to do: once per half block while a transaction waits for its block, and now and then until that block is confirmed,
 * so that no reorganization takes it back unseen. Of all processes the one that wrote the record last does so; the
 * others look only after that one should have been done. Slots that became free are handed over here as well, in case
 * the process that should have done so was killed.
 */
export function tendRelayer(
  relayer: RelayerAddress,
  ports: RelayerPorts & { wakes: Pick<Wakes, 'wakeNow'> },
): () => Promise<void> {
  const { relayerRecords, chain, now } = ports
  let rest: Rest | null = null

  async function isResting(record: Relayer): Promise<boolean> {
    if (rest && rest.until <= now()) return false
    if (rest?.version !== record.version) {
      const fresh = restOfNew(record, chain, isOwn(record, ports), now())
      // However often a busy relayer's record changes, what was due stays due.
      rest = fresh && rest ? { ...fresh, until: Math.min(rest.until, fresh.until) } : fresh
    }
    if (!rest) return false
    if (rest.lookAt > now()) return true
    const mined = await chain.minedNonces(relayer.address)
    const isSame = rest.waitsAt === null ? unmined(record, mined).length === 0 : mined <= rest.waitsAt
    if (isSame)
      rest.lookAt = now() + (rest.waitsAt === null ? lookMs(chain) : chainOf(chain.chainId).blockSeconds * 500)
    return isSame
  }

  return async () => {
    const record = await relayerRecords.load(relayer.id)
    if (!record || (record.slots.length === 0 && !isAwaited(record)) || (await isResting(record))) return
    const tended = await tend(relayer, ports).finally(() => isAwaited(record) && handOverSlots(relayer, ports))
    rest = tended && mayRest(tended) ? restOf(tended, chain, isOwn(tended.record, ports), now()) : null
  }
}
