import { RateLimiterMemory } from 'rate-limiter-flexible'
import { networkOf } from '../../domain/tenant/address-range'
import { Refusal, type RefusalCode } from './failure'

/** The network address of the client, if the request came over the network. */
export type AddressOf = (request: Request) => string | undefined

/** Counts, in this process, the refusals of unauthenticated callers per network. */
export function strangers(addressOf: AddressOf, limit: { points: number; duration: number }) {
  const refused = new RateLimiterMemory(limit)
  const tooMany = () => new Refusal('RATE_LIMITED', { headers: { 'retry-after': String(limit.duration) } })
  const networkFrom = (request: Request): string | null => {
    const address = addressOf(request)
    return address === undefined ? null : networkOf(address)
  }
  return {
    /** Refuses a network that has exhausted its limit, before its request costs anything. */
    async assureFew(request: Request): Promise<void> {
      const network = networkFrom(request)
      const counter = network === null ? null : await refused.get(network)
      if (counter && counter.consumedPoints >= limit.points) throw tooMany()
    },
    /** Refuses a request and counts it. Above the limit, the response states when the network may retry. */
    async refuse(request: Request, code: RefusalCode): Promise<never> {
      const network = networkFrom(request)
      if (network !== null)
        await refused.consume(network).catch(() => {
          throw tooMany()
        })
      throw new Refusal(code)
    },
  }
}
