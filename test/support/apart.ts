import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { type Environment, startEnvironment } from './environment'
import { startAwsKms } from './kms/aws-kms'
import { startGcpKms } from './kms/gcp-kms'

type Variables = Record<string, string | undefined>

export type Apart = Awaited<ReturnType<typeof startApart>>

/**
 * Starts Switchyard with one process per role: an API, a worker, a scanner and the signer. Each process gets only the
 * keys that its role needs. The order signer is an AWS KMS key, and the relayers are Google Cloud keys.
 */
export async function startApart() {
  const none = { ROUTE_SIGNER_PRIVATE_KEY: '', RELAYER_PRIVATE_KEYS: '' }
  const environment = await startEnvironment({ env: { ...none, ROLES: 'api' } })
  const { installation, devnet, dir } = environment
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-000000000001'
  const versionOf = (n: number) =>
    `projects/devnet/locations/global/keyRings/switchyard/cryptoKeys/relayer-${n}/cryptoKeyVersions/1`
  const { routeSigner, relayers } = devnet.keys
  const aws = startAwsKms([{ arn, privateKey: routeSigner }])
  const gcp = startGcpKms(relayers.map((privateKey, n) => ({ name: versionOf(n), privateKey })))
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
      ...{ ROLES: 'worker', INTENT_MAC_KEY: '', ...gcp.env },
      RELAYER_PRIVATE_KEYS: relayers.map((_, n) => `gcp-kms:${versionOf(n)}`).join(','),
      ...{ SIGNER_URL: url, SIGNER_ACCESS_KEY: accessKey },
    },
    scanner: { ...installation.serviceEnv(), ROLES: 'scanner', INTENT_MAC_KEY: '' },
    signer: {
      ...ofSigner,
      ...{ ROLES: 'signer', ROUTE_SIGNER_PRIVATE_KEY: `aws-kms:${arn}`, ...aws.env },
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
    /** Environment of each role's process. */
    environments,
    signer: { url, accessKey, logPath },
    kms: { aws, gcp },
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
      await Promise.all([aws.stop(), gcp.stop()])
      await environment.stop()
    },
  } satisfies Partial<Environment> & Record<string, unknown>
}
