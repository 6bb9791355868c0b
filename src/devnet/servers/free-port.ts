import { createServer } from 'node:net'

/** A port of 127.0.0.1 that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  return (await listenOnce(0))!
}

export async function portIsFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null
}

/** The port as asked for, once it is known to be free, or any free one. */
export async function claimPort(wanted: number | undefined, what: string): Promise<number> {
  if (wanted === undefined) return freePort()
  if (await portIsFree(wanted)) return wanted
  throw new Error(`Port ${wanted} of 127.0.0.1, meant for ${what}, is taken; stop the program that listens there.`)
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null)
      else reject(error)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}
