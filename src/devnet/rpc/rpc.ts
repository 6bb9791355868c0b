import type { Hex } from '../../domain/chain/hex'

export type Receipt = {
  transactionHash: Hex
  status: Hex
  blockNumber: Hex
  blockHash: Hex
  transactionIndex: Hex
  from: Hex
  to: Hex | null
  contractAddress: Hex | null
  gasUsed: Hex
  effectiveGasPrice: Hex
  logs: Log[]
}

export type Log = {
  address: Hex
  topics: [Hex, ...Hex[]] | []
  data: Hex
  blockNumber: Hex
  blockHash: Hex
  transactionHash: Hex
  transactionIndex: Hex
  logIndex: Hex
  removed: boolean
}

export type Transaction = { hash: Hex; from: Hex; to: Hex | null; value: Hex; transactionIndex: Hex }

export type Header = {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  transactionsRoot: Hex
  baseFeePerGas: Hex
}

export type Call = [method: string, ...params: unknown[]]

/** An error response of a node, with the node's own message. */
export class RpcRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** A client of one JSON-RPC node. */
export class Rpc {
  private next = 1

  constructor(readonly url: string) {}

  async ask<Answer = Hex>(method: string, ...params: unknown[]): Promise<Answer> {
    return answerOf(await this.post({ jsonrpc: '2.0', id: this.next++, method, params })) as Answer
  }

  /** Sends all calls in one request. @returns the results in the order of the calls. */
  async askAll(calls: readonly Call[]): Promise<unknown[]> {
    if (calls.length === 0) return []
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const answers = (await this.post(body)) as (Answer & { id: number })[]
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return calls.map((_, id) => answerOf(byId.get(id)!))
  }

  private async post(body: unknown): Promise<Answer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Answer
  }
}

type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } }

function answerOf({ result, error }: Answer): unknown {
  if (error) throw new RpcRefusal(error.code, error.message, error.data)
  return result
}
