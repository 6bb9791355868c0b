import { afterAll, beforeAll, expect } from 'bun:test'
import type { IntentAnswer } from '../../src/cli/client/api'
import { chainKeys } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import { everyNonceIsUsed } from '../support/accounting'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { startNatsCluster } from '../support/nats-cluster'
import { readEvents } from '../support/read-events'
import { until } from '../support/until'

/** A test run restarts two processes once. `npm run chaos -- --cluster` restarts six of them three times. */
const isCluster = process.env['CHAOS_CLUSTER'] === '1'
const rounds = isCluster ? 3 : 1
const processes: Record<string, number> = isCluster
  ? { api: 2, worker: 2, scanner: 2 }
  : { api: 1, 'worker,scanner': 1 }
const quietCount = isCluster ? 15 : 5
const everyMs = isCluster ? 1_000 : 2_000
const askEveryMs = isCluster ? 250 : 500

let environment: Environment
beforeAll(async () => {
  if (!isNightly) return
  const env = { SHUTDOWN_DELAY_MS: '3000' }
  environment = await startEnvironment({ processes, env, ...(isCluster && { natsCluster: startNatsCluster }) })
})
afterAll(async () => {
  await environment?.stop()
})

type Sent = { userId: string; at: number }

nightly(
  `${Object.values(processes).reduce((sum, count) => sum + count)} processes are restarted one after the other, ${rounds} times, under load: no request fails, and each deposit arrives once`,
  async () => {
    const { members, installation, api } = environment
    const events = readEvents(installation.apiUrl, installation.keys.client)
    const quiet: Sent[] = []
    for (let n = 0; n < quietCount; n++) quiet.push(await deposit(`quiet-${n}`, n))
    const quietEnded = await ended(quiet)

    let isOver = false
    const busy: Sent[] = []
    const failures: unknown[] = []
    let answered = 0
    const noted = (asked: Promise<unknown>): Promise<unknown> =>
      asked.then(
        () => (answered += 1),
        (error) => failures.push(error),
      )
    const asking = repeating(async (n) => {
      const { userId } = quiet[n % quiet.length]!
      const asked: Promise<unknown>[] = [api.executions(userId), api.findIntent(userId), api.deposits(userId)]
      await Promise.all(asked.map(noted))
    }, askEveryMs)
    const depositing = repeating(async (n) => {
      const sent = await deposit(`busy-${n}`, n).catch((error) => void failures.push(error))
      if (sent) busy.push(sent)
    }, everyMs)
    const codes: number[] = []
    for (let round = 0; round < rounds; round++)
      for (const member of members) if (failures.length === 0) codes.push(await member.replace())
    isOver = true
    await Promise.all([asking, depositing])

    const busyEnded = await ended(busy)
    expect(failures).toEqual([])
    expect(codes).toEqual(codes.map(() => 0))
    const all = [...quietEnded, ...busyEnded]
    expect(all.filter(({ status }) => status !== 'SUCCESS').map(({ id, cause }) => ({ id, cause }))).toEqual([])
    for (const { history, retryCount } of all)
      expect([history.filter(({ to }) => isTerminal(to)).length, retryCount]).toEqual([1, 0])
    const routes = await environment.routesExecuted()
    expect(routes.map(({ routeId }) => routeId).toSorted()).toEqual(all.map(({ facts }) => facts.routeId!).toSorted())
    await everyNonceIsUsed(environment)
    await until('every success was told', (note) => {
      const untold = all.filter(({ id }) => !events.successes.has(id)).map(({ id }) => id)
      return note(untold).length === 0
    })
    expect(events.resets).toBe(0)
    await events.leave()

    const [before, during] = [longestWait(quiet, quietEnded), longestWait(busy, busyEnded)]
    console.log(
      `rolling restart: ${codes.length} processes, ${answered} requests and ${all.length} deposits, 0 failed, 0 lost, ` +
        `0 doubled; the longest wait between two stored times was ${told(before)} before and ${told(during)} meanwhile; ` +
        `the events were resumed ${events.resumed} times`,
    )

    async function repeating(act: (n: number) => Promise<unknown>, ms: number): Promise<void> {
      for (let n = 0; !isOver; n++) {
        const next = Bun.sleep(ms)
        await act(n)
        await next
      }
    }
  },
)

async function deposit(userId: string, n: number): Promise<Sent> {
  const { intend, devnet } = environment
  const [chainKey, to] = [chainKeys[n % chainKeys.length]!, chainKeys[(n + 1) % chainKeys.length]!]
  const { depositAddress }: IntentAnswer = await intend(userId, { to, receive: 'USDC' })
  await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  return { userId, at: Date.now() }
}

const ended = async (all: Sent[]): Promise<Execution[]> =>
  (await Promise.all(all.map(({ userId }) => environment.ended(userId, 1)))).flat()

type Wait = { ms: number; id: string; after: string; until: string }
const told = ({ ms, id, after, until }: Wait): string => `${ms} ms (from “${after}” to “${until}” of ${id})`

/**
 * The longest time without progress of a deposit: between its transfer and its detection, or between two stored
 * transitions.
 */
function longestWait(all: Sent[], executions: Execution[]): Wait {
  const waits = executions.flatMap(({ id, history }, n) => {
    const entries = [{ event: 'sent', at: all[n]!.at }, ...history]
    return entries
      .slice(1)
      .map(({ event, at }, m) => ({ ms: at - entries[m]!.at, id, after: entries[m]!.event, until: event }))
  })
  return waits.reduce((longest, each) => (each.ms > longest.ms ? each : longest))
}
