import type { Socket } from 'node:net'
import { type FalseAnswer, falseAnswer } from './false-answers'
import { bodyOf } from './request-reader'

/**
 * Responds instead of a node, with false versions of its responses. A stale node stays at the block of the first
 * request.
 */
export class FalseNode {
  private staleBlock: Promise<number> | null = null

  constructor(private readonly nodePort: number) {}

  reset(): void {
    this.staleBlock = null
  }

  answer(client: Socket, request: Buffer, lie: FalseAnswer): void {
    this.answerText(lie, bodyOf(request)).then(
      (text) => client.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
      () => client.destroy(),
    )
  }

  private async answerText(lie: FalseAnswer, body: string): Promise<string> {
    this.staleBlock ??= this.ask([{ id: 1, method: 'eth_blockNumber', params: [] }]).then(([answer]) =>
      Number(answer!.result),
    )
    return falseAnswer(lie, body, (calls) => this.ask(calls), await this.staleBlock)
  }

  private async ask(calls: object[]): Promise<{ id: unknown; result?: unknown }[]> {
    const requests = calls.map((call) => ({ jsonrpc: '2.0', ...call }))
    const response = await fetch(`http://127.0.0.1:${this.nodePort}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requests),
    })
    return response.json() as Promise<{ id: unknown; result?: unknown }[]>
  }
}

/** The connection is closed after each response, because the next request may get another fault. */
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n'
