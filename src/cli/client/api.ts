import { Failure } from '../terminal/failure'

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

export type DepositAnswer = {
  id: string
  stage: string
  fromChainId: number
  fromTokenAddress: string
  depositTxHash: string | null
  next: { message: string }
}

/** What an execution's own page says beyond the list. */
export type ExecutionDetail = {
  /** The execution that goes on with the money that came back. */
  continuedBy: string | null
  cause: { code: string } | null
  fromTokenDecimals: number | null
  fromTokenSymbol: string
  toTokenDecimals: number | null
  funds: {
    holder: string
    address: string | null
    chainKey: string
    tokenSymbol: string
    tokenDecimals: number | null
    amount: string
  }
  next: { actor: string; action: string; message: string; executionId: string | null }
}

type IntentRequest = {
  userId: string
  targetChainId: number
  targetTokenAddress: string
  targetAddress: string
}

/** Too many requests, or just not now: whoever only looks may look again. */
const isPassing = [429, 503]

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

  deposits(userId: string, limit = 100): Promise<DepositAnswer[]> {
    return this.ask('GET', `/api/users/${encodeURIComponent(userId)}/deposits?limit=${limit}`)
  }

  execution(id: string): Promise<ExecutionDetail> {
    return this.ask('GET', `/api/executions/${encodeURIComponent(id)}`)
  }

  /** Whatever there is of a user by now: what comes later is told from it. */
  async known(userId: string): Promise<ReadonlySet<string>> {
    const [executions, deposits] = await Promise.all([this.executions(userId), this.deposits(userId)])
    return new Set([...executions, ...deposits].map(({ id }) => id))
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
    const sentence = `The API answered ${response.status} to ${method} ${path.split('?')[0]}: ${said}`
    throw isPassing.includes(response.status) ? new Error(sentence) : new Failure(sentence)
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
