import { catchError, defer, EMPTY, ignoreElements, mergeMap, type Observable, timeout } from 'rxjs'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { backoffMs } from '../../domain/execution/retry'
import { type } from '../../domain/schema'
import { type Pointer, pointersIn } from '../../domain/wake-messages'
import type { Telemetry } from '../../ports/observing'
import type { Pointers, Wake } from '../../ports/wakes'
import type { TransactionOutcome } from '../chains/read-transaction'

const activitiesMax = 10_000
/** The sender retries for a day. An older webhook is a replay, and the scanner has already found its deposits. */
const replayMaxMs = 25 * 3_600_000

// The schema covers only the transaction and the addresses between which money moved. Amounts and tokens are never read
// from a webhook.
const hash = type(/^0x[0-9a-fA-F]{64}$/)
const activity = type({
  'hash?': hash.or('null'),
  'category?': 'string <= 32 | null',
  'fromAddress?': 'unknown',
  'toAddress?': 'unknown',
  'log?': type({ 'transactionHash?': hash.or('null') }).or('null'),
})
type Activity = typeof activity.infer
const delivery = type({
  type: 'string <= 64',
  'createdAt?': 'string <= 64',
  event: { 'network?': 'string <= 64', 'error?': 'string <= 1000' },
})
export const addressActivity = type({
  type: "'ADDRESS_ACTIVITY'",
  'createdAt?': 'string <= 64',
  event: { network: 'string <= 64', activity: type('unknown[]').atMostLength(activitiesMax) },
})

/** `NOTICE`: the sender reports something about itself. `UNKNOWN`: well-formed, but too old or with nothing for us. */
export type WebhookContent =
  | { kind: 'POINTERS'; chainId: ChainId; pointers: Pointer[] }
  | { kind: 'NOTICE'; message: string }
  | { kind: 'UNKNOWN' }
  | { kind: 'MALFORMED' }

/** Both spellings are in use: `MATIC_MAINNET` and `MATICMAINNET`. */
const spelled = (network: string): string => network.toUpperCase().replaceAll('_', '')
const networks = new Map<string, ChainId>(chainIds.map((id) => [spelled(chainOf(id).alchemyNetwork), id]))
export const chainOfNetwork = (network: string): ChainId | undefined => networks.get(spelled(network))
const isNft = (category: string | null | undefined): boolean => category === 'erc721' || category === 'erc1155'

type IsOurs = (address: string) => boolean

/** Whether it only reports money that left one of our accounts for an outside address, as our own routes do. */
const isOutgoing = ({ fromAddress: from, toAddress: to }: Activity, isOurs: IsOurs): boolean =>
  typeof from === 'string' && typeof to === 'string' && isOurs(from) && !isOurs(to)

/**
 * Reads the pointers in a webhook's body: the chain and the transactions, and nothing more.
 *
 * @param isOurs Whether an address is our account, used to skip entries that bring us nothing.
 */
export function readWebhook(body: unknown, seenAt: number, isOurs: IsOurs = () => false): WebhookContent {
  const said = delivery(body)
  if (said instanceof type.errors) return { kind: 'MALFORMED' }
  if (said.event.error !== undefined) return { kind: 'NOTICE', message: said.event.error }
  const sentAt = Date.parse(said.createdAt ?? '')
  if (said.type !== 'ADDRESS_ACTIVITY' || seenAt - sentAt > replayMaxMs) return { kind: 'UNKNOWN' }
  const read = addressActivity(body)
  if (read instanceof type.errors) return { kind: 'MALFORMED' }
  const chainId = chainOfNetwork(read.event.network)
  if (chainId === undefined) return { kind: 'UNKNOWN' }
  // An unreadable item does not affect the others. If all are unreadable, it is another format.
  const items = read.event.activity.map((item) => activity(item))
  const readable = items.filter((item): item is Activity => !(item instanceof type.errors))
  if (items.length > 0 && readable.length === 0) return { kind: 'MALFORMED' }
  const named = readable
    .filter((item) => !isNft(item.category) && !isOutgoing(item, isOurs))
    .map((item) => item.hash ?? item.log?.transactionHash)
  const hashes = new Set(named.flatMap((each) => (each ? [each.toLowerCase() as Hash] : [])))
  return { kind: 'POINTERS', chainId, pointers: [...hashes].map((txHash) => ({ chainId, txHash, seenAt })) }
}

type Ports = {
  pointers: Pointers
  read: (chainId: ChainId, txHash: Hash, detector: 'WEBHOOK') => Promise<TransactionOutcome>
  /** Requests that a balance be measured. Money that left no log is always measured, never taken on trust. */
  requestSweep: (chainId: ChainId, account: Address, token: Address, block: number) => void
  /** Makes the scanner poll when the block of a deposit should be confirmed. */
  requestScan: (chainId: ChainId, block: number) => Promise<void>
  onTrouble: (chainId: ChainId | null, error: unknown) => void
  telemetry: Telemetry
}

const concurrency = 16
const looksMax = 5
/** Concurrent reads for one message. */
const readsAtOnce = 4
const lookMaxMs = 15_000

/**
 * Reads the transactions that webhooks point to. The scanner finds the deposits missed here, so retries are limited.
 */
export const followPointers = ({
  pointers,
  read,
  requestSweep,
  requestScan,
  onTrouble,
  telemetry,
}: Ports): Observable<never> => {
  async function follow(wake: Wake): Promise<void> {
    const said = pointersIn(wake.data)
    if (!said) {
      onTrouble(null, new Error('A message of the stream DEPOSITS cannot be parsed'))
      return wake.term('Not a pointer')
    }
    const areMined = await inParallel(said, readsAtOnce, (pointer) => lookAt(pointer, wake))
    if (areMined.includes(false) && wake.redeliveries + 1 < looksMax) return wake.nak(backoffMs(wake.redeliveries, 1))
    wake.ack()
  }

  const lookAt = (pointer: Pointer, { carrier = {} }: Wake): Promise<boolean> => {
    const id = `${pointer.chainId}:${pointer.txHash}`
    return telemetry.work({ name: 'look at transaction', kind: 'CONSUMER', id, carrier }, () => goTo(pointer))
  }

  /** @returns Whether it is mined. If not, it is read again with everything else in its message. */
  async function goTo({ chainId, txHash }: Pointer): Promise<boolean> {
    const { isMined, block, brought } = await read(chainId, txHash, 'WEBHOOK')
    if (block === null) return isMined
    for (const { account, token, taken } of brought)
      if (taken === 'SWEEP') requestSweep(chainId, account.id, token, block)
    if (brought.some(({ taken }) => taken !== 'UNSUPPORTED')) await requestScan(chainId, block)
    return isMined
  }

  function giveBack(wake: Wake, error: unknown): void {
    onTrouble(pointersIn(wake.data)?.[0]?.chainId ?? null, error)
    if (wake.redeliveries + 1 < looksMax) wake.nak(backoffMs(wake.redeliveries, 1))
    else wake.ack()
  }

  return pointers.pointers(concurrency).pipe(
    mergeMap(
      (wake) =>
        defer(() => follow(wake)).pipe(
          timeout(lookMaxMs),
          catchError((error) => {
            giveBack(wake, error)
            return EMPTY
          }),
        ),
      concurrency,
    ),
    ignoreElements(),
  )
}
