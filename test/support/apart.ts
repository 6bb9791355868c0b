import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { type Environment, startEnvironment } from './environment'

type Variables = Record<string, string | undefined>

export type Apart = Awaited<ReturnType<typeof startApart>>

/**
 * The whole of Switchyard with each role in a process of its own, each with the keys that it needs and no other: an API,
 * a worker, a scanner and the signer.
 */
export async function startApart() {
  const none = { ROUTE_SIGNER_PRIVATE_KEY: '', RELAYER_PRIVATE_KEYS: '' }
  const environment = await startEnvironment({ env: { ...none, ROLES: 'api' } })
  const { installation, devnet, dir } = environment
  const accessKey = `0x${randomBytes(32).toString('hex')}` as const
  const [listen, logPath] = [`127.0.0.1:${await freePort()}`, join(dir, 'signing.log')]
  const url = `http://${listen}`
  const {
    MONGODB_URL: _,
    MONGODB_DATABASE: __,
    NATS_URL: ___,
    AUTH_SECRET: ____,
    ...ofSigner
  } = installation.serviceEnv()
  const environments: Record<string, Variables> = {
    api: installation.serviceEnv(),
    worker: {
      ...installation.serviceEnv(),
      ...{ ROLES: 'worker', INTENT_MAC_KEY: '', RELAYER_PRIVATE_KEYS: devnet.keys.relayers.join(',') },
      ...{ SIGNER_URL: url, SIGNER_ACCESS_KEY: accessKey },
    },
    scanner: { ...installation.serviceEnv(), ROLES: 'scanner', INTENT_MAC_KEY: '' },
    signer: {
      ...ofSigner,
      ...{ ROLES: 'signer', ROUTE_SIGNER_PRIVATE_KEY: devnet.keys.routeSigner },
      ...{ SIGNER_LISTEN: listen, SIGNER_LOG_PATH: logPath, SIGNER_ACCESS_KEY: accessKey },
    },
  }
  const running = new Map<string, Server>()

  const logOf = (role: string) => join(dir, `${role}.log`)
  async function start(role: string): Promise<void> {
    const port = await freePort()
    const env = { ...environments[role]!, PORT: `${port}` }
    running.set(role, await startService({ env, port, log: logOf(role) }))
  }
  await Promise.all(['signer', 'worker', 'scanner'].map(start))

  return {
    ...environment,
    /** What a process of a role finds in its environment. */
    environments,
    signer: { url, accessKey, logPath },
    start,
    logOf,
    kill: async (role: string): Promise<void> => {
      const { pid, exited } = running.get(role)!
      process.kill(pid!, 'SIGKILL')
      await exited
      running.delete(role)
    },
    async stop(): Promise<void> {
      await Promise.all([...running.values()].map((server) => server.stop()))
      await environment.stop()
    },
  } satisfies Partial<Environment> & Record<string, unknown>
}
