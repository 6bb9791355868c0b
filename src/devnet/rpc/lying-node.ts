import type { Socket } from 'node:net'
import { type FalseAnswer, falseAnswer } from './false-answers'
import { bodyOf } from './request-reader'

/** Answers in a node's place, from what the node says. A stale one stands where it stood when it was first asked. */
export class LyingNode {
  private stoodAt: Promise<number> | null = null

  constructor(private readonly nodePort: number) {}

  forget(): void {
    this.stoodAt = null
  }

  answer(client: Socket, request: Buffer, lie: FalseAnswer): void {
    this.said(lie, bodyOf(request)).then(
      (text) => client.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
      () => client.destroy(),
    )
  }

  private async said(lie: FalseAnswer, body: string): Promise<string> {
    this.stoodAt ??= this.ask([{ id: 1, method: 'eth_blockNumber', params: [] }]).then(([one]) => Number(one!.result))
    return falseAnswer(lie, body, (calls) => this.ask(calls), await this.stoodAt)
  }

  private async ask(calls: object[]): Promise<{ id: unknown; result?: unknown }[]> {
    const asked = calls.map((call) => ({ jsonrpc: '2.0', ...call }))
    const response = await fetch(`http://127.0.0.1:${this.nodePort}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    })
    return response.json() as Promise<{ id: unknown; result?: unknown }[]>
  }
}

/** One request a connection: the next one may be answered otherwise. */
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n'
