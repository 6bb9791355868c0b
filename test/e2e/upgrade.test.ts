import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { startService } from '../../src/cli/installation/service-process'
import { migrateStore } from '../../src/cli/verbs/migrate'
import type { Server } from '../../src/devnet/servers/server'
import type { ChainKey } from '../../src/domain/chain/chain'
import { everyNonceIsUsed, everyUnitIsExplained } from '../support/accounting'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { type Release, recordedIn, recordingsOfReleases, recordRelease, wakesOn } from '../support/record-documents'
import { temporaryFolder } from '../support/temporary-folder'
import { until } from '../support/until'
import { receiveWebhooks } from '../support/webhook-receiver'

/**
 * `RECORD_RELEASE=COMMIT npm test -- test/e2e/upgrade.test.ts` runs that commit's service up to the upgrade, records
 * its documents, streams and messages, and upgrades it. Without it, the recorded releases are upgraded.
 */
const asked = process.env['RECORD_RELEASE']
const root = join(import.meta.dir, '..', '..')

let environment: Environment | null = null
let running: Server | null = null
afterEach(async () => {
  await running?.stop()
  await environment?.stop()
})

/** The service of a commit, with the packages of this one. */
async function checkedOut(commit: string): Promise<{ folder: string; release: Release }> {
  const folder = join(temporaryFolder('upgrade'), commit)
  mkdirSync(folder, { recursive: true })
  await $`git -C ${root} archive ${commit} src machines contracts package.json tsconfig.json bunfig.toml | tar -x -C ${folder}`.quiet()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { version } = (await Bun.file(join(folder, 'package.json')).json()) as { version: string }
  return { folder, release: { version, commit } }
}

/** Other contracts are replaced by their own procedure first, and a shallow clone lacks old commits. */
async function isUpgradable({ commit }: Release): Promise<boolean> {
  const artifacts = ['contracts/artifacts', ':!contracts/artifacts/digest.json']
  const { exitCode } = await $`git -C ${root} diff --quiet ${commit} -- ${artifacts}`.nothrow().quiet()
  if (exitCode > 1 && process.env['REQUIRE_TOOLS']) throw new Error(`The clone does not have ${commit}.`)
  return exitCode === 0
}

async function releases(): Promise<string[]> {
  if (asked) return [(await $`git -C ${root} rev-parse ${asked}`.text()).trim()]
  const recorded = await Promise.all(recordingsOfReleases().map(recordedIn))
  const found: string[] = []
  for (const [first] of recorded)
    if (first && 'release' in first && (await isUpgradable(first.release))) found.push(first.release.commit)
  return found
}

const found = await releases()
test.each(asked ? found : sample('recorded releases', found, 0))(
  'deposits that %s began end as they should after an upgrade in their middle, and no event is lost',
  async (commit) => {
    const { folder, release } = await checkedOut(commit)
    environment = await startEnvironment({ former: folder })
    const { installation, devnet, dir, store, newUserId, intend, ended } = environment
    const env = { ...installation.serviceEnv(), RETRY_PROVIDER_MAX_MS: '1000' }
    const started = { env, port: installation.port, log: join(dir, 'service.log') }
    const wakes = await wakesOn(installation.natsUrl)
    running = await startService({ ...started, folder })
    await environment.everyChainScanned()
    const receiver = receiveWebhooks()
    const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
      const headers = { 'x-api-key': installation.keys.client, 'content-type': 'application/json' }
      const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
      const response = await fetch(`${installation.apiUrl}/api${path}`, sent)
      expect([path, response.ok || (await response.text())]).toEqual([path, true])
      return response.json() as Promise<Answer>
    }
    await ask('/webhook-endpoints', { url: receiver.url, types: ['deposit.*', 'execution.*'] })
    const fault = (target: string, request: RequestInit) => fetch(`${devnet.controlUrl}/faults/${target}`, request)
    const broken = (target: string) => fault(target, { method: 'PUT', body: JSON.stringify({ fault: 'DOWN' }) })
    const paidBy = async (userId: string, chainKey: ChainKey = 'base') => {
      const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
      await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
      return userId
    }
    type Deposit = { stage: string; funds: { holder: string } }
    /** Waits until the deposits of a user are at these stages, as the running release shows them. */
    const reach = (userId: string, ...stages: string[]) =>
      until(`the deposits of ${userId} are ${stages}`, async (note) => {
        const found = await ask<Deposit[]>(`/deposits?userId=${userId}`)
        const at = found.map(({ stage, funds }) => `${stage} ${funds.holder}`)
        note(at)
        return at.join() === stages.join()
      })

    const before = async (userId: string) => {
      const owner = { ownerAddress: userId, chainKey: 'polygon' }
      const { modularAccountAddress: to } = await ask<{ modularAccountAddress: `0x${string}` }>('/accounts', owner)
      await devnet.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw: 7_000_000n, to })
      await reach(userId, 'WAITING_FOR_INTENT DEPOSIT_ACCOUNT')
      return userId
    }
    const finished = await before(newUserId('finished'))
    await intend(finished, { to: 'arbitrum', receive: 'USDC' })
    await reach(finished, 'ROUTED RECIPIENT')
    const unrouted = await before(newUserId('unrouted'))
    await broken('bridge')
    const sent = await paidBy(newUserId('sent'))
    await reach(sent, 'ROUTED PROVIDER')
    await broken('lifi')
    const quoted = await paidBy(newUserId('quoted'))
    await reach(quoted, 'ROUTING DEPOSIT_ACCOUNT')
    await paidBy(quoted)
    await reach(quoted, 'QUEUED DEPOSIT_ACCOUNT', 'ROUTING DEPOSIT_ACCOUNT')

    process.kill(running.pid!, 'SIGKILL')
    await running.exited
    await wakes.stop()
    if (asked) await recordRelease(environment.connection, installation.natsUrl, release, wakes.kept)
    const missed = newUserId('missed')
    await fault('bridge', { method: 'DELETE' })
    await fault('lifi', { method: 'DELETE' })
    running = await startService(started)
    await migrateStore(store, () => {})
    await paidBy(missed)
    await intend(unrouted, { to: 'arbitrum', receive: 'USDC' })
    const ends = await Promise.all([
      ...[finished, sent, missed, unrouted].map((userId) => ended(userId, 1)),
      ended(quoted, 2),
    ])
    expect(ends.flat().map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'SUCCESS'))
    await everyUnitIsExplained(environment)
    await everyNonceIsUsed(environment)
    const differences = await until('every event has arrived', async (note) => {
      const feed = await ask<never[]>('/events?limit=100&types=deposit.*,execution.*')
      const { lost, wrong, invented } = receiver.compared(feed)
      note({ lost, wrong, invented })
      return lost.length + wrong.length === 0 ? { feed: feed.length, invented } : null
    })
    expect(differences.feed).toBeGreaterThan(12)
    await receiver.stop()
  },
)
