import type { Socket } from 'bun'

type Pair = { other: Socket<Pair> | null; waiting: Uint8Array[] }

/** A way to a server that can be cut, and be there again: what is open ends, what is begun is refused. */
export async function cuttable(host: string, port: number) {
  const open = new Set<Socket<Pair>>()

  const pass = (socket: Socket<Pair>, data: Uint8Array): void => {
    const { other, waiting } = socket.data
    if (other) void other.write(data)
    else waiting.push(new Uint8Array(data))
  }
  const end = (socket: Socket<Pair>): void => {
    open.delete(socket)
    socket.data.other?.end()
  }

  async function begin(socket: Socket<Pair>): Promise<void> {
    socket.data = { other: null, waiting: [] }
    open.add(socket)
    const data: Pair = { other: socket, waiting: [] }
    const other = await Bun.connect<Pair>({
      hostname: host,
      port,
      data,
      socket: { data: pass, close: end, error: end },
    })
    open.add(other)
    socket.data.other = other
    for (const part of socket.data.waiting.splice(0)) other.write(part)
  }

  const listen = (at: number) =>
    Bun.listen<Pair>({
      hostname: '127.0.0.1',
      port: at,
      socket: { open: begin, data: pass, close: end, error: end },
    })
  let server = listen(0)
  const own = server.port

  return {
    port: own,
    cut(): void {
      server.stop(true)
      for (const socket of open) socket.terminate()
      open.clear()
    },
    mend(): void {
      server = listen(own)
    },
    stop: () => server.stop(true),
  }
}
