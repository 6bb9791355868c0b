import { join } from 'node:path'
import type { Installation } from '../../src/cli/installation/installation'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { type Supervised, supervise } from '../../src/devnet/servers/supervise'
import { startBalancer } from './balancer'

/** Number of processes for each value of `ROLES`. */
export type Counts = Record<string, number>

export type Fleet = Awaited<ReturnType<typeof startFleet>>
export type Member = {
  readonly roles: string
  readonly server: Server
  /** Start of readiness by `performance.now()`. Infinite while the process starts. */
  readonly upAt: number
  /** Starts a replacement, and stops the present process once the replacement is ready. @returns the old exit code. */
  replace(): Promise<number>
}

/**
 * Starts several processes of the service, each with its roles. A load balancer on the installation's port serves the
 * API processes. A killed process is restarted.
 */
export async function startFleet(installation: Installation, dir: string, counts: Counts) {
  await installation.releasePort()
  const balancer = startBalancer(installation.port)
  const places = Object.entries(counts).flatMap(([roles, count]) =>
    Array.from({ length: count }, (_, n) => ({ roles, name: `${roles.replaceAll(',', '-')}-${n}` })),
  )
  const kept = await Promise.all(
    places.map(({ roles, name }) => startMember({ roles, name, installation, dir, balancer })),
  )
  return {
    members: kept.map(({ member }) => member),
    async stop(): Promise<void> {
      await Promise.all(kept.map(({ stop }) => stop()))
      await balancer.stop()
    },
  }
}

type Place = {
  roles: string
  name: string
  installation: Installation
  dir: string
  balancer: ReturnType<typeof startBalancer>
}

async function startMember({ roles, name, installation, dir, balancer }: Place) {
  const isApi = roles.split(',').includes('api')
  let upAt = Number.POSITIVE_INFINITY
  let generation = 0

  async function start(): Promise<Server> {
    const port = await freePort()
    const env = { ...installation.serviceEnv(), ROLES: roles, PORT: `${port}` }
    const server = await startService({ env, port, log: join(dir, `${name}-${++generation}.log`) })
    if (isApi) {
      await balancer.add(server.url)
      void server.exited.then(() => balancer.remove(server.url))
    }
    return server
  }

  const open = async (): Promise<Supervised> => {
    const supervised = await supervise(name, start, ({ kind }) => {
      upAt = kind === 'exited' ? Number.POSITIVE_INFINITY : performance.now()
    })
    return supervised
  }
  let current = await open()
  const member: Member = {
    roles,
    get server() {
      return current.server
    },
    get upAt() {
      return upAt
    },
    async replace() {
      const before = current
      current = await open()
      await before.stop()
      return before.server.exited
    },
  }
  return { member, stop: () => current.stop() }
}
