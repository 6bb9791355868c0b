import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

export type HeldPort = { port: number; release(): Promise<void> }

const [portLeast, portMost] = [12_000, 32_000]
const portsMin = 2_000
const triesMax = 100
const given = new Set<number>()

/** The least port that Linux assigns to connections. Other systems begin far above ours. */
function leastAssigned(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
  } catch {
    return portMost
  }
}

/**
 * The ports from which servers get theirs, the last one excluded. They are below those that the system assigns to
 * connections, so none is taken when a server starts. A system that assigns nearly all of them leaves no choice.
 */
export function portsForServers(assigned = leastAssigned()): readonly [least: number, end: number] {
  return [portLeast, assigned >= portLeast + portsMin ? Math.min(assigned, portMost) : portMost]
}

/** A free port of 127.0.0.1 that this process has not returned before. */
export async function freePort(): Promise<number> {
  const [least, end] = portsForServers()
  for (let n = 0; n < triesMax; n++) {
    const port = least + Math.floor(Math.random() * (end - least))
    if (given.has(port) || !(await isPortFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error(`Nearly all ports of 127.0.0.1 from ${least} to ${end} are taken.`)
}

export async function isPortFree(port: number): Promise<boolean> {
  const held = await holdPort(port)
  await held?.release()
  return held !== null
}

/** The requested port if it is free, or any free port if none was requested. */
export async function claimPort(wanted: number | undefined, what: string): Promise<number> {
  if (wanted === undefined) return freePort()
  if (await isPortFree(wanted)) return wanted
  throw new Error(
    `Port ${wanted} of 127.0.0.1 is needed for ${what} but is taken; stop the program that listens there.`,
  )
}

/** Reserves a port for a server that starts later. Connections are closed until then. @returns null if it is taken. */
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
