import type { ErrorCode } from '../src/domain/error'
import type { RouteRequest } from '../src/ports/gate'
import { addressOf } from '../test/support/deposits'
import { endings, minute, requestOf } from '../test/support/outage'

const outageMinutes = 45
const workerCounts = [1, 3, 10] as const
const onePair: RouteRequest = { ...requestOf(0), fromToken: addressOf(0x0dd) }

type Kind = { what: string; code: ErrorCode; deposits: number; requestOf?: (n: number) => RouteRequest }
const kinds: Kind[] = [
  { what: 'a deposit a minute of many tokens, the provider answers 500', code: 'PROVIDER_FAILED', deposits: 49 },
  { what: 'the same, the provider cannot be reached', code: 'PROVIDER_UNREACHABLE', deposits: 49 },
  {
    what: 'a deposit a minute, all of one pair of tokens',
    code: 'PROVIDER_FAILED',
    deposits: 49,
    requestOf: () => onePair,
  },
  { what: 'a single deposit', code: 'PROVIDER_FAILED', deposits: 1 },
]

/**
 * An outage of the only provider, with several processes that share only the store. The engine, the circuits and the
 * probes are the service's own. The clock and the store are simulated.
 */
export async function outage(): Promise<string[]> {
  console.log(`An outage of the only provider of ${outageMinutes} minutes:`)
  const lost = new Map<number, number>()
  for (const { what, code, deposits, ...how } of kinds)
    for (const count of workerCounts) {
      const trouble = { code, from: 0, to: outageMinutes * minute }
      const { dead, retries, spentOpen, worst, calls } = await endings(count, trouble, deposits, how)
      console.log(
        `  ${what}, ${count} ${count === 1 ? 'worker' : 'workers'}: ${deposits - dead} of ${deposits} succeed; ` +
          `${retries} retries before the circuit opens (${worst} by one deposit), ${spentOpen} while it is open; ` +
          `${calls} requests`,
      )
      lost.set(count, (lost.get(count) ?? 0) + dead)
    }
  return [...lost].map(([count, dead]) => `with ${count} of them, ${dead} deposits ended in DEAD_LETTER`)
}
