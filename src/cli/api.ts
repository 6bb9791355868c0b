import { Failure } from './failure'

export type IntentAnswer = {
  userId: string
  depositAddress: `0x${string}`
  targetChainId: number
  targetChainKey: string
  targetTokenAddress: `0x${string}`
  targetAddress: `0x${string}`
}

export type ExecutionAnswer = {
  id: string
  status: string
  fromChainId: number
  fromTokenAddress: string
  fromTokenSymbol: string
  toChainKey: string
  toTokenSymbol: string
  amountIn: string
  amountOutExpected: string
  txHash: string | null
  retryCount: number
  lastErrorCode: string | null
  lastErrorMessage: string | null
  createdAt: string
  completedAt: string | null
}

export type IntentRequest = {
  userId: string
  targetChainId: number
  targetTokenAddress: string
  targetAddress: string
}

/** The service's interface as an integrator uses it. */
export class Api {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  makeIntent(body: IntentRequest): Promise<IntentAnswer> {
    return this.ask('POST', '/api/deposit-intents', body)
  }

  findIntent(userId: string): Promise<IntentAnswer | null> {
    return this.ask('GET', `/api/users/${encodeURIComponent(userId)}/deposit-intent`, undefined, null)
  }

  /** @returns the user's deposit address, without an intent. */
  async makeAccount(userId: string): Promise<`0x${string}`> {
    const made = await this.ask<{ modularAccountAddress: `0x${string}` }>('POST', '/api/accounts', {
      ownerAddress: userId,
      chainKey: 'base',
    })
    return made.modularAccountAddress
  }

  executions(userId: string, limit = 100): Promise<ExecutionAnswer[]> {
    return this.ask('GET', `/api/users/${encodeURIComponent(userId)}/executions?limit=${limit}`)
  }

  private async ask<Answer>(method: string, path: string, body?: object, missing?: Answer): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'x-api-key': this.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    })
    if (response.status === 404 && missing !== undefined) return missing
    const answer = await response.json().catch(() => null)
    if (response.ok) return answer as Answer
    const said = (answer as { message?: string } | null)?.message ?? 'without a reason'
    throw new Failure(`The API answered ${response.status} to ${method} ${path.split('?')[0]}: ${said}`)
  }
}

/** The devnet's controls, as the end user's wallet. @returns the hash of the deposit's transaction. */
export async function sendFromFaucet(
  controlUrl: string,
  deposit: { depositAddress: string; fromChainKey: string } & (
    | { fromTokenSymbol: string; amountIn: string }
    | { outcome: string }
  ),
): Promise<`0x${string}`> {
  const response = await fetch(`${controlUrl}/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(deposit),
    signal: AbortSignal.timeout(10_000),
  })
  const answer = (await response.json()) as { depositTxHash?: `0x${string}`; message?: string }
  if (!answer.depositTxHash) throw new Failure(`The faucet refused: ${answer.message ?? response.status}`)
  return answer.depositTxHash
}
