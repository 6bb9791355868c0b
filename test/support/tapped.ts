import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that records what the client sends. */
export async function tapped(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let text = ''
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    client.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    client.pipe(behind).pipe(client)
    for (const socket of [client, behind]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const way = new URL(url)
  way.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    url: way.href,
    /** Everything sent so far. */
    sent: () => text,
    stop(): void {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
