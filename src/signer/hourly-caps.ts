import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { amountOf } from '../domain/money/amount'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { SigningEntry } from '../ports/signer'
import { waitingLine } from './waiting-line'

type Settings = {
  /** What the executor lets out of a token on a chain in a day, as of a moment ago. */
  dailyCap: (chainId: ChainId, token: Address) => Promise<bigint>
  /** The share of that which is signed in an hour. */
  percent: number
  now: () => number
  /** Told each time that an order has to wait. */
  onReached?: (reached: { chainId: ChainId; token: Address; signedRaw: string; capRaw: string }) => void
}

type Signed = Pick<Extract<SigningEntry, { event: 'SIGNED' }>, 'chainId' | 'routeId' | 'token' | 'amountIn' | 'kind'>

/** What was signed for a route at a time. */
type Counted = { routeId: Hash; amount: bigint; at: number }

export type HourlyCaps = ReturnType<typeof hourlyCaps>

const hourMs = 3_600_000
const [askAgainMsMin, askAgainMsMax, noCapMs] = [1_000, 600_000, 60_000]

/**
 * Bounds what is signed of a token on a chain in any hour by a share of the executor's daily cap, so that whoever can
 * send and has the signer deceived does not have the whole day's money in its first minutes. An order that finds the
 * hour used up waits, and those who ask after it cannot keep it waiting for ever. When nothing else was signed in the
 * hour, one order may be larger than the share; the chain bounds it. Of a route the largest order of the hour counts:
 * the chain carries out one, and any of them may have been it.
 */
export function hourlyCaps({ dailyCap, percent, now, onReached }: Settings) {
  /** By token and chain, the oldest first. */
  const signed = new Map<string, Counted[]>()
  /** Places are not written down: after a restart everybody who still asks waits anew. */
  const lines = new Map<string, ReturnType<typeof waitingLine>>()

  const keyOf = ({ chainId, token }: Pick<Signed, 'chainId' | 'token'>) => `${chainId}:${token.toLowerCase()}`
  const ofLastHour = (key: string) => (signed.get(key) ?? []).filter(({ at }) => at > now() - hourMs)

  function lineOf(key: string) {
    const line = lines.get(key) ?? waitingLine()
    lines.set(key, line)
    return line
  }

  /** Counts what was signed at a time. */
  function note(order: Signed, at: number): void {
    const key = keyOf(order)
    const one = { routeId: order.routeId, amount: amountOf(order.amountIn), at }
    signed.set(key, [...ofLastHour(key), ...(at > now() - hourMs ? [one] : [])])
  }

  return {
    note,
    /**
     * Counts an order that is about to be answered.
     *
     * @throws {TemporarilyUnavailable} while as much as may be was signed in the last hour, while another order has
     *   waited for long, or while the chain names no cap.
     */
    async take(order: Signed): Promise<void> {
      const { chainId, token, routeId } = order
      const capOfDay = await dailyCap(chainId, token)
      const at = now()
      // Of a token without a cap only refunds are carried out, and the chain makes twenty of them a day.
      if (capOfDay === 0n && order.kind === 'REFUND') return note(order, at)

      const key = keyOf(order)
      const capRaw = (capOfDay * BigInt(percent)) / 100n
      const before = ofLastHour(key)
      const others = before.filter((one) => one.routeId !== routeId)
      const signedRaw = sumOf(others)
      const sumRaw = sumOf([...before, { routeId, amount: amountOf(order.amountIn), at }])
      const isBehind = capOfDay > 0n && lineOf(key).isBehind(routeId, at)
      if (capOfDay > 0n && !isBehind && (signedRaw === 0n || sumRaw <= capRaw)) {
        lineOf(key).leave(routeId)
        return note(order, at)
      }
      onReached?.({ chainId, token, signedRaw: String(signedRaw), capRaw: String(capRaw) })
      const freeInMs = isBehind ? askAgainMsMax : others[0] ? others[0].at + hourMs - at : noCapMs
      const askAgainMs = Math.max(askAgainMsMin, Math.min(freeInMs, askAgainMsMax))
      throw new TemporarilyUnavailable('the hourly cap', askAgainMs, 'SIGNER', {
        cause: new Error(`${signedRaw} of the token were signed in the last hour, of at most ${capRaw}`),
      })
    },
  }
}

/** The sum of the largest of each route. */
function sumOf(all: readonly Counted[]): bigint {
  const largest = new Map<Hash, bigint>()
  for (const { routeId, amount } of all) if (amount > (largest.get(routeId) ?? 0n)) largest.set(routeId, amount)
  return [...largest.values()].reduce((sum, amount) => sum + amount, 0n)
}
