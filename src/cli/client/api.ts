import { startMsMax } from '../../devnet/servers/until-ready'
import type { DepositView } from '../../http/views/deposit'
import type { DepositIntentView } from '../../http/views/deposit-intent'
import type { UserExecutionView } from '../../http/views/execution'
import type { ExecutionDetailView } from '../../http/views/execution-full'
import { Failure } from '../terminal/failure'
import { pathPart, sendToService, whyNoAnswer } from './reach'

export type IntentAnswer = typeof DepositIntentView.infer
export type ExecutionAnswer = typeof UserExecutionView.infer
export type ExecutionDetail = typeof ExecutionDetailView.infer

type IntentRequest = {
  userId: string
  targetChainId: number
  targetTokenAddress: string
  targetAddress: string
}

/** Rate limited, or temporarily unavailable. A request that only reads may be repeated. */
const temporaryStatuses = [429, 503]

/** The service gives out no address until it has checked the contracts of a chain, seconds after its start. */
const uncheckedCode = 'CHAINS_UNVERIFIED'
const uncheckedMs = 1_000

/** The API cannot answer at the moment. */
class Unavailable extends Error {
  constructor(
    message: string,
    readonly code: string | null,
  ) {
    super(message)
  }
}

/** A refusal by the API, with its error code. */
export class ApiRefusal extends Failure {}

/** The service's API as an integrator uses it. */
export class Api {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /** Waits for the first check of the contracts, as long as for a start. */
  async createIntent(body: IntentRequest, withinMs = startMsMax): Promise<IntentAnswer> {
    const until = performance.now() + withinMs
    for (;;)
      try {
        return await this.ask('POST', '/api/deposit-intents', body)
      } catch (error) {
        if (!(error instanceof Unavailable) || error.code !== uncheckedCode) throw error
        if (performance.now() > until)
          throw new Failure(`No address was given out within ${withinMs / 1000} s. ${error.message}`, error.code)
        await Bun.sleep(uncheckedMs)
      }
  }

  findIntent(userId: string): Promise<IntentAnswer | null> {
    return this.ask('GET', `/api/users/${pathPart(userId)}/deposit-intent`, undefined, null)
  }

  /** Creates an account without an intent. @returns the user's deposit address. */
  async createAccount(userId: string): Promise<`0x${string}`> {
    const account = await this.ask<{ modularAccountAddress: `0x${string}` }>('POST', '/api/accounts', {
      ownerAddress: userId,
      chainKey: 'base',
    })
    return account.modularAccountAddress
  }

  executions(userId: string, limit = 100): Promise<ExecutionAnswer[]> {
    return this.ask('GET', `/api/users/${pathPart(userId)}/executions?limit=${limit}`)
  }

  deposits(userId: string, limit = 100): Promise<DepositView[]> {
    return this.ask('GET', `/api/users/${pathPart(userId)}/deposits?limit=${limit}`)
  }

  execution(id: string): Promise<ExecutionDetail> {
    return this.ask('GET', `/api/executions/${pathPart(id)}`)
  }

  chains(): Promise<{ chainKey: string; message: string | null }[]> {
    return this.ask('GET', '/api/chains')
  }

  createEndpoint(body: { url: string; types: string[] }): Promise<{ id: string }> {
    return this.ask('POST', '/api/webhook-endpoints', body)
  }

  endpoint(id: string): Promise<{ enabled: boolean }> {
    return this.ask('GET', `/api/webhook-endpoints/${pathPart(id)}`)
  }

  deleteEndpoint(id: string): Promise<null> {
    return this.ask('DELETE', `/api/webhook-endpoints/${pathPart(id)}`)
  }

  /** @returns the ids of a user's deposits and executions so far, to recognise later ones. */
  async existingIds(userId: string): Promise<ReadonlySet<string>> {
    const [executions, deposits] = await Promise.all([this.executions(userId), this.deposits(userId)])
    return new Set([...executions, ...deposits].map(({ id }) => id))
  }

  private async ask<Answer>(method: string, path: string, body?: object, missing?: Answer): Promise<Answer> {
    const response = await sendToService(`${this.url}${path}`, {
      method,
      headers: { 'x-api-key': this.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.status === 404 && missing !== undefined) return missing
    const answer = await response.json().catch(() => null)
    if (response.ok) return answer as Answer
    const message = (answer as { message?: string } | null)?.message ?? 'no reason given'
    const sentence = `The API answered ${response.status} to ${method} ${path.split('?')[0]}: ${message}`
    const code = response.headers.get('x-error-code')
    throw temporaryStatuses.includes(response.status) ? new Unavailable(sentence, code) : new ApiRefusal(sentence, code)
  }
}

/** Sends a deposit from the devnet's faucet, as an end user's wallet would. @returns the transaction hash. */
export async function sendFromFaucet(
  controlUrl: string,
  deposit: { depositAddress: string; fromChainKey: string } & (
    | { fromTokenSymbol: string; amountIn: string }
    | { outcome: string }
  ),
  withinMs = startMsMax,
): Promise<`0x${string}`> {
  const response = await fetch(`${controlUrl}/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(deposit),
    signal: AbortSignal.timeout(withinMs),
  }).catch((cause) => {
    throw new Failure(`The faucet gave no response within ${withinMs / 1000} s: ${whyNoAnswer(cause)}.`)
  })
  const answer = (await response.json()) as { depositTxHash?: `0x${string}`; message?: string }
  if (!answer.depositTxHash) throw new Failure(`The faucet refused the deposit: ${answer.message ?? response.status}`)
  return answer.depositTxHash
}
