import type { ChainId } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import type { Order } from '../domain/execution/route'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { Block } from '../ports/chain-client'
import type { Signing, SigningLog, SigningRequest } from '../ports/signer'
import type { HourlyCaps } from './hourly-caps'
import type { RepeatableSigning } from './signing'

type Settings = {
  log: SigningLog
  caps: Pick<HourlyCaps, 'take'>
  /** @throws {TemporarilyUnavailable} while the chain cannot be read, or its contracts are not the configured ones. */
  freshHead: (chainId: ChainId) => Promise<Block>
  /** Validity of an order, in seconds. */
  orderSeconds: number
}

/** How far the requesters' nodes may be ahead of the signer's own, in seconds. */
export const headsApartSeconds = 120
const repeatMsMax = 10_000

/**
 * Logs each signature and refusal before returning it, and signs one order for a route at a time. A repeated request
 * gets the same signature. Another order of that route is signed only once the earlier order has lapsed.
 */
export function signedOnce(signing: RepeatableSigning, { log, caps, freshHead, orderSeconds }: Settings): Signing {
  const turns = new Map<string, Promise<unknown>>()

  /** Runs one request of a route at a time. */
  async function inTurn<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    const before = turns.get(key) ?? Promise.resolve()
    const mine = before.then(act, act)
    const settled = mine.catch(() => {})
    turns.set(key, settled)
    void settled.then(() => turns.get(key) === settled && turns.delete(key))
    return mine
  }

  async function signOnce(request: SigningRequest): Promise<Order> {
    const { execution, deadline } = request
    const { id: executionId, organizationId, deposit, facts } = execution
    const { chainId } = deposit
    const about = { executionId, organizationId, chainId, routeId: facts.routeId ?? '0x' }
    const { time } = await freshHead(chainId)
    if (deadline > time + orderSeconds + headsApartSeconds)
      throw new TemporarilyUnavailable('the signer', repeatMsMax, 'NODE', {
        cause: new Error('The deadline is further away than ORDER_SECONDS allows'),
      })
    const last = log.lastSigned(chainId, about.routeId)
    try {
      if (last && time <= last.deadline) {
        const again = await signing.signAgain({ ...request, deadline: last.deadline }, last.orderId)
        if (again) return again
        throw new TemporarilyUnavailable('the signer', repeatMsMax, 'SIGNER', {
          cause: new Error('Another order of this route was signed and may still be executed'),
        })
      }
      const order = await signing.sign(request)
      const { account, token, amountIn, protocolFee, gasFee, kind, target, intent } = order
      const terms = { account, token, amountIn, protocolFee, gasFee, kind, target, intent }
      await caps.take({ ...about, account, token, amountIn, gasFee, kind })
      await log.append({ ...about, event: 'SIGNED', orderId: order.id, deadline: order.deadline, ...terms })
      return order
    } catch (error) {
      if (isRefusal(error)) await log.append({ ...about, event: 'REFUSED', ...reasonOf(error) })
      throw error
    }
  }

  return {
    sign: (request) => {
      const { deposit, facts } = request.execution
      return inTurn(`${deposit.chainId}:${facts.routeId}`, () => signOnce(request))
    },
    verifyIntent: signing.verifyIntent,
  }
}

const isRefusal = (error: unknown): error is RoutingError =>
  error instanceof RoutingError && (error.code === 'SIGNER_REFUSED' || error.code === 'INTENT_NOT_SEALED')

const reasonOf = ({ code, cause }: RoutingError) => ({ code, why: cause instanceof Error ? cause.message : '' })
