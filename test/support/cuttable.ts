import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/**
 * A proxy to a server that can be cut and restored. A cut closes open connections and refuses new ones. It can also go
 * silent, like an unplugged cable: open connections stay open but carry no data.
 */
export async function cuttable(host: string, port: number) {
  const open = new Set<Socket>()

  const keep = (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    return socket
  }
  /** `pipeline` applies back-pressure, and closes both sides when either side closes. */
  const pass = (from: Socket, to: Socket) => pipeline(from, to, () => from.destroy())

  async function listen(at: number) {
    const server = createServer((near) => {
      const far = keep(connect(port, host))
      pass(keep(near), far)
      pass(far, near)
    })
    await once(server.listen(at, '127.0.0.1'), 'listening')
    return server
  }
  let server = await listen(0)
  const own = (server.address() as AddressInfo).port
  const cut = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }

  return {
    port: own,
    cut,
    silence: (): number => {
      for (const socket of open) socket.pause()
      return open.size
    },
    async mend(): Promise<void> {
      server = await listen(own)
    },
    stop: cut,
  }
}
