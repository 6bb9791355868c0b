import http from 'node:http'
import https from 'node:https'
import { BoundedMap } from '../../domain/bounded-map'
import { addressFor, type GuardOptions } from './guarded'

const usual = { judgedMs: 10_000, idleMs: 4_000 } as const
const targetsMax = 1_000

/** A checked address and its connections, which serve one URL only. */
export type Target = { address: string; agent: http.Agent }

export type PoolTimes = {
  /** Interval between two lookups and checks of a name, in milliseconds. */
  judgedMs: number
  /**
   * Longest idle time of a connection, in milliseconds. Most servers close theirs after five seconds or
   * more, so ours closes first.
   */
  idleMs: number
}

type Guard = Required<Pick<GuardOptions, 'toLoopback' | 'resolve'>>
type CheckedTarget = Target & { judgedAt: number }

/**
 * Keeps the connections to each URL. Each goes to the address that its name had, and that was checked, at the latest
 * lookup.
 */
export function connectionPool(guard: Guard, { judgedMs, idleMs }: PoolTimes = usual) {
  const targets = new BoundedMap<string, Promise<CheckedTarget>>(targetsMax)
  /** By URL, the address that last gave no response. */
  const failed = new BoundedMap<string, string>(targetsMax)

  async function judge(url: URL, before: CheckedTarget | null): Promise<CheckedTarget> {
    const judgedAt = performance.now()
    const address = await addressFor(url, guard, failed.get(url.href))
    return { address, judgedAt, agent: before?.address === address ? before.agent : agentFor(url, idleMs) }
  }

  return {
    /**
     * Returns the address to post to.
     *
     * @throws {Unanswered}
     */
    async targetOf(url: URL): Promise<Target> {
      const cached = targets.get(url.href)
      const target = await cached
      if (target && performance.now() - target.judgedAt < judgedMs) return target
      const other = targets.get(url.href)
      if (other && other !== cached) return other // a later call has already started the lookup
      const judged = judge(url, target ?? null)
      targets.set(url.href, judged)
      return judged
    },
    /**
     * Resolves the name again before the next post. The post then goes to the name's next address, if it has several.
     *
     * @param address Where the last post went. Absent if no address was found.
     */
    forget(url: URL, address?: string): void {
      targets.delete(url.href)
      if (address !== undefined) failed.set(url.href, address)
    },
  }
}

function agentFor({ protocol }: URL, timeout: number): http.Agent {
  const options = { keepAlive: true, timeout }
  return protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
}
