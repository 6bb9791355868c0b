import { type AddressInfo, createServer } from 'node:net'

export type HeldPort = { port: number; release(): Promise<void> }

/** A port of 127.0.0.1 that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const held = (await holdPort(0))!
  await held.release()
  return held.port
}

export async function isPortFree(port: number): Promise<boolean> {
  const held = await holdPort(port)
  await held?.release()
  return held !== null
}

/** The port as asked for, once it is known to be free, or any free one. */
export async function claimPort(wanted: number | undefined, what: string): Promise<number> {
  if (wanted === undefined) return freePort()
  if (await isPortFree(wanted)) return wanted
  throw new Error(`Port ${wanted} of 127.0.0.1, meant for ${what}, is taken; stop the program that listens there.`)
}

/** Keeps a port, so that nobody else takes it, for who starts later; whoever calls meanwhile is hung up on. */
export function holdPort(wanted: number): Promise<HeldPort | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((caller) => caller.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null)
      else reject(error)
    })
    server.listen({ port: wanted, host: '127.0.0.1', exclusive: true }, () => {
      const { port } = server.address() as AddressInfo
      resolve({ port, release: () => new Promise((closed) => void server.close(() => closed())) })
    })
  })
}
