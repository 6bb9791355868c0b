import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

/** A proxy to a server. Its first connection is accepted but carries no data. */
export async function silentAtFirst(host: string, port: number) {
  let connections = 0
  const proxy = createServer((near) => {
    near.on('error', () => {})
    connections += 1
    if (connections === 1) return
    const far = connect(port, host)
    pipeline(near, far, () => near.destroy())
    pipeline(far, near, () => far.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    connections: () => connections,
    stop: () => proxy.close(),
  }
}
