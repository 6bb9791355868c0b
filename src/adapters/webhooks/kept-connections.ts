import http from 'node:http'
import https from 'node:https'
import { BoundedMap } from '../../domain/bounded-map'
import { addressFor, type GuardOptions } from './guarded'

const usual = { judgedMs: 10_000, idleMs: 4_000 } as const
const targetsMax = 1_000

/** An address that was judged, and the connections to it, which are used for one URL alone. */
export type Target = { address: string; agent: http.Agent }

export type Keeping = {
  /** A name is looked up and judged again after this time. */
  judgedMs: number
  /** Most servers close a connection that is idle for five seconds or more, so ours is closed before. */
  idleMs: number
}

type Guard = Required<Pick<GuardOptions, 'toLoopback' | 'resolve'>>
type Judged = Target & { judgedAt: number }

/**
 * Keeps the connections to each URL. Every one of them goes to the address that its name had when it was last looked
 * up, and that was judged then.
 */
export function keptConnections(guard: Guard, { judgedMs, idleMs }: Keeping = usual) {
  const kept = new BoundedMap<string, Promise<Judged>>(targetsMax)
  /** By URL: which address gave no answer last. */
  const failed = new BoundedMap<string, string>(targetsMax)

  async function judge(url: URL, before: Judged | null): Promise<Judged> {
    const judgedAt = performance.now()
    const address = await addressFor(url, guard, failed.get(url.href))
    return { address, judgedAt, agent: before?.address === address ? before.agent : agentFor(url, idleMs) }
  }

  return {
    /**
     * The address to post to.
     *
     * @throws {Unanswered}
     */
    async targetOf(url: URL): Promise<Target> {
      const known = kept.get(url.href)
      const target = await known
      if (target && performance.now() - target.judgedAt < judgedMs) return target
      const other = kept.get(url.href)
      if (other && other !== known) return other // somebody else has begun to look it up meanwhile
      const judged = judge(url, target ?? null)
      kept.set(url.href, judged)
      return judged
    },
    /**
     * Looks the name up again before the next post, which goes to another one of its addresses, if it has several.
     *
     * @param address Where the last post went; absent when no address was found.
     */
    forget(url: URL, address?: string): void {
      kept.delete(url.href)
      if (address !== undefined) failed.set(url.href, address)
    },
  }
}

function agentFor({ protocol }: URL, timeout: number): http.Agent {
  const options = { keepAlive: true, timeout }
  return protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
}
