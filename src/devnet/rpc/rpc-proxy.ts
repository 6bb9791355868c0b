import { connect, createServer, type Socket } from 'node:net'
import type { ChainKey } from '../../domain/chain/chain'
import type { Fault, Faults } from '../faults'
import { isFalseAnswer } from './false-answers'
import { FalseNode } from './false-node'
import { RequestReader } from './request-reader'

const slowMs = 20_000

/** A connection that becomes a WebSocket, which a node uses to push new heads. */
const upgrade = /^GET [\s\S]*\r\nupgrade: websocket\r\n/i

type RpcProxy = { url: string; stop(): void }

/** The node behind the proxy. A chain that has stopped accepts no transactions, like a sequencer that is down. */
type Proxied = { key: ChainKey; port: number; producer: { isMining: boolean } }

/** Starts the proxy between the service and a node. Bytes are passed on unchanged unless a fault is active. */
export async function startRpcProxy(
  { key, port: nodePort, producer }: Proxied,
  faults: Faults,
  port = 0,
): Promise<RpcProxy> {
  const clients = new Set<Socket>()
  const falseNode = new FalseNode(nodePort)
  faults.onRemove((target) => {
    if (target === `rpc:${key}`) falseNode.reset()
  })
  const server = createServer((client) => {
    const node = connect(nodePort, '127.0.0.1')
    const end = () => {
      clients.delete(client)
      client.destroy()
      node.destroy()
    }
    clients.add(client)
    for (const socket of [client, node]) socket.on('error', end).on('close', end).setNoDelay(true)
    node.pipe(client)
    const requests = new RequestReader()
    let isSocket = false
    client.on('data', (bytes: Buffer) => {
      if (isSocket) return forward(client, node, bytes)
      for (const request of requests.push(bytes)) {
        pass(client, node, request)
        isSocket ||= upgrade.test(request.toString('latin1'))
      }
    })
  })
  const pass = (client: Socket, node: Socket, request: Buffer): void => {
    const fault = faults.take(`rpc:${key}`)
    const isRefused = !producer.isMining && request.includes('eth_sendRawTransaction')
    if (isRefused) answerInstead(client, { fault: 'STOPPED' })
    else if (!fault) forward(client, node, request)
    else if (fault.fault === 'SLOW') setTimeout(() => forward(client, node, request), fault.ms ?? slowMs)
    else if (isFalseAnswer(fault.fault)) falseNode.answer(client, request, fault.fault)
    else answerInstead(client, fault)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const listeningPort = typeof address === 'object' && address ? address.port : port
  const stop = () => {
    server.close()
    for (const client of clients) client.destroy()
  }
  return { url: `http://127.0.0.1:${listeningPort}`, stop }
}

const answers: Record<string, [first: string, type: string, body: string]> = {
  RATE_LIMIT: ['429 Too Many Requests\r\nretry-after: 1', 'application/json', '{"error":"rate limited"}'],
  STOPPED: ['503 Service Unavailable', 'application/json', '{"error":"the chain has stopped"}'],
}

function forward(client: Socket, node: Socket, bytes: Buffer): void {
  if (node.destroyed || node.write(bytes)) return
  client.pause()
  node.once('drain', () => client.resume())
}

function answerInstead(client: Socket, { fault }: Pick<Fault, 'fault'> | { fault: 'STOPPED' }): void {
  if (fault === 'DOWN') {
    client.destroy()
    return
  }
  const [first, type, body] = answers[fault] ?? ['200 OK', 'text/html', '<html><body>Bad gateway</body></html>']
  const headers = [`content-type: ${type}`, `content-length: ${body.length}`, 'connection: close']
  client.end([`HTTP/1.1 ${first}`, ...headers, '', body].join('\r\n'))
}
