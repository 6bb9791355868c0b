import type { Socket } from 'node:net'
import { type Lie, liedAnswer } from './rpc-lies'

/** Answers in a node's place, from what the node says. A stale one stands where it stood when it was first asked. */
export class RpcLiar {
  private stoodAt: Promise<number> | null = null

  constructor(private readonly nodePort: number) {}

  forget(): void {
    this.stoodAt = null
  }

  /** Takes over a connection for the request that begins with these bytes, however many more it needs. */
  hear(client: Socket, first: Buffer, lie: Lie): void {
    const parts = [first]
    const tryToAnswer = (): boolean => {
      const body = bodyIn(Buffer.concat(parts))
      if (body === null) return false
      client.off('data', more)
      this.answer(lie, body).then(
        (text) => client.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
        () => client.destroy(),
      )
      return true
    }
    const more = (bytes: Buffer): void => {
      parts.push(bytes)
      tryToAnswer()
    }
    client.removeAllListeners('data')
    if (!tryToAnswer()) client.on('data', more)
  }

  private async answer(lie: Lie, body: string): Promise<string> {
    this.stoodAt ??= this.ask([{ id: 1, method: 'eth_blockNumber', params: [] }]).then(([one]) => Number(one!.result))
    return liedAnswer(lie, body, (calls) => this.ask(calls), await this.stoodAt)
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

/** The body of a request that is there as a whole, else null. */
function bodyIn(bytes: Buffer): string | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const length = Number(/content-length: *(\d+)/i.exec(bytes.subarray(0, end).toString('latin1'))?.[1] ?? 0)
  const body = bytes.subarray(end + 4)
  return body.length < length ? null : body.subarray(0, length).toString('utf8')
}
