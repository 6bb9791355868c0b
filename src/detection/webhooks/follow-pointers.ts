import { catchError, defer, EMPTY, ignoreElements, mergeMap, type Observable, timeout } from 'rxjs'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { backoffMs } from '../../domain/execution/retry'
import { type Pointer, pointersIn } from '../../domain/wake-messages'
import type { Telemetry } from '../../ports/telemetry'
import type { Pointers, Wake } from '../../ports/wakes'
import type { TransactionRead } from '../chains/read-transaction'

type Ports = {
  pointers: Pointers
  read: (chainId: ChainId, txHash: Hash, detector: 'WEBHOOK') => Promise<TransactionRead>
  /** Requests that a balance be measured. Money that left no log is always measured, never taken on trust. */
  requestSweep: (chainId: ChainId, account: Address, token: Address, block: number) => void
  /** Makes the scanner look when the block is confirmed, because it contains a deposit. */
  requestScan: (chainId: ChainId, block: number) => Promise<void>
  onTrouble: (chainId: ChainId | null, error: unknown) => void
  telemetry: Telemetry
}

const concurrency = 16
const looksMax = 5
/** For one message. */
const readsAtOnce = 4
const lookMaxMs = 15_000

/**
 * Reads the transactions that webhooks point to. The scanner finds what is not found here, so nothing is retried for
 * ever.
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
      onTrouble(null, new Error('A message of the stream DEPOSITS cannot be understood'))
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

  /** @returns Whether it is mined. If not, it is looked up again with everything else in its message. */
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
