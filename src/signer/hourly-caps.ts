import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { amountOf } from '../domain/money/amount'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { SigningEntry } from '../ports/signer'

type Settings = {
  /** What the executor lets out of a token on a chain in a day, as of a moment ago. */
  dailyCap: (chainId: ChainId, token: Address) => Promise<bigint>
  /** The share of that which is signed in an hour. */
  percent: number
  now: () => number
  /** Told each time that an order has to wait. */
  onReached?: (reached: { chainId: ChainId; token: Address; signedRaw: string; capRaw: string }) => void
}

type Signed = Pick<Extract<SigningEntry, { event: 'SIGNED' }>, 'chainId' | 'routeId' | 'token' | 'amountIn'>

export type HourlyCaps = ReturnType<typeof hourlyCaps>

const hourMs = 3_600_000
const [askAgainMsMin, askAgainMsMax] = [1_000, 600_000]

/**
 * Bounds what is signed of a token on a chain in any hour by a share of the executor's daily cap, so that whoever can
 * send and has the signer deceived does not have the whole day's money in its first minutes. An order that finds the
 * hour used up waits. When nothing else was signed in the hour, one order may be larger than the share, or it would
 * wait for ever; the chain bounds it. Of a route only the last order counts, because the chain carries out one.
 */
export function hourlyCaps({ dailyCap, percent, now, onReached }: Settings) {
  /** By token and chain, then by route, the oldest first. */
  const signed = new Map<string, Map<Hash, { amount: bigint; at: number }>>()

  function routesOf({ chainId, token }: Pick<Signed, 'chainId' | 'token'>) {
    const key = `${chainId}:${token.toLowerCase()}`
    const routes = signed.get(key) ?? new Map<Hash, { amount: bigint; at: number }>()
    signed.set(key, routes)
    for (const [routeId, { at }] of routes) if (at <= now() - hourMs) routes.delete(routeId)
    return routes
  }

  /** Counts what was signed at a time. */
  function note(order: Signed, at: number): void {
    const routes = routesOf(order)
    routes.delete(order.routeId)
    if (at > now() - hourMs) routes.set(order.routeId, { amount: amountOf(order.amountIn), at })
  }

  return {
    note,
    /**
     * Counts an order that is about to be answered.
     *
     * @throws {TemporarilyUnavailable} while as much as may be was signed in the last hour.
     */
    async take(order: Signed): Promise<void> {
      const { chainId, token } = order
      const capRaw = ((await dailyCap(chainId, token)) * BigInt(percent)) / 100n
      const others = [...routesOf(order)].flatMap(([routeId, one]) => (routeId === order.routeId ? [] : [one]))
      const signedRaw = others.reduce((sum, { amount }) => sum + amount, 0n)
      // Of a token without a cap only refunds are carried out, and the chain makes twenty of them a day.
      if (capRaw === 0n || signedRaw === 0n || signedRaw + amountOf(order.amountIn) <= capRaw) {
        note(order, now())
        return
      }
      onReached?.({ chainId, token, signedRaw: String(signedRaw), capRaw: String(capRaw) })
      const askAgainMs = Math.max(askAgainMsMin, Math.min(others[0]!.at + hourMs - now(), askAgainMsMax))
      throw new TemporarilyUnavailable('the hourly cap', askAgainMs, 'SIGNER', {
        cause: new Error(`${signedRaw} of the token were signed in the last hour, of at most ${capRaw}`),
      })
    },
  }
}
