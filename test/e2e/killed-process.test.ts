import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { chainKeys } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { everyNonceIsUsed } from '../support/accounting'
import { isNightly, sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'

/** Each kill waits for a lease to expire, so few writes are tried here. `npm run chaos` tries every one. */
const [first, step, killsMax] = sample(
  'ranges of writes with a kill',
  [
    [8, 1, 8],
    [1, Number(process.env['KILL_STEP'] ?? 3), 40],
  ],
  1,
).at(-1) as [number, number, number]
const preload = `--preload=${join(import.meta.dir, '..', 'support', 'dying.ts')}`

let environment: Environment
const workers: Server[] = []
beforeAll(async () => {
  environment = await startEnvironment({ env: { ROLES: 'api,scanner' } })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await environment?.stop()
})

async function startWorker(env: Record<string, string> = {}): Promise<Server> {
  const { installation, dir } = environment
  const port = await freePort()
  const variables = { ...installation.serviceEnv(), ROLES: 'worker', PORT: `${port}`, CHAIN_POLL_MS: '400', ...env }
  const worker = await startService({ env: variables, port, log: join(dir, 'worker.log') })
  workers.push(worker)
  return worker
}

/**
 * Routes a deposit with a worker that is killed at a numbered write, or at its first write of a kind. Then another
 * worker continues.
 */
async function lifeKilledAt(
  n: number,
  kind?: string,
): Promise<{ record: Execution; writes: string[]; isKilled: boolean }> {
  const { devnet, dir, newUserId, intend, ended, routesExecuted } = environment
  const userId = newUserId('killed')
  const [chainKey, to] = [chainKeys[n % chainKeys.length]!, chainKeys[(n + 1) % chainKeys.length]!]
  const { depositAddress } = await intend(userId, { to, receive: 'USDC' })
  const note = join(dir, `writes-${n}`)
  const death: Record<string, string> = kind ? { DIE_AFTER_WRITE_OF: kind } : { DIE_AFTER_WRITES: `${n}` }
  const worker = await startWorker({ BUN_OPTIONS: preload, DIE_NOTE: note, ...death })
  await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  const ending = ended(userId, 1)
  const how = await Promise.race([ending.then(() => 'ended'), worker.exited.then(() => 'killed')])
  const next = how === 'killed' ? await startWorker() : null
  const [record] = await ending
  await Promise.all([worker.stop(), next?.stop()])
  const routes = (await routesExecuted()).filter(({ account }) => account === depositAddress)
  expect(routes, `killed at write ${n}`).toHaveLength(1)
  expect(await devnet.balanceOf(to, 'USDC', recipientOf(userId))).toBe(BigInt(record!.facts.delivery!.amountRaw))
  return { record: record!, writes: readFileSync(note, 'utf8').split('\n'), isKilled: how === 'killed' }
}

const statusesOf = ({ history }: Execution) =>
  history.map(({ status }) => status).filter((status, n, all) => status !== null && status !== all[n - 1])

test('another process brings the deposit to the same end, once, after a worker process is killed at a write', async () => {
  const killedAt = new Set<string>()
  async function livesOn(n: number, kind?: string): Promise<boolean> {
    const { record, writes, isKilled } = await lifeKilledAt(n, kind)
    const where = `killed at write ${n}: ${writes.join(', ')}`
    expect([record.status, record.retryCount], where).toEqual(['SUCCESS', 0])
    expect(statusesOf(record), where).toEqual(['PENDING', 'RUNNING', 'SUCCESS'])
    if (isKilled) killedAt.add(writes.at(-1)!)
    return isKilled
  }
  const isMet = (kind: string): boolean => [...killedAt].some((write) => write.endsWith(kind))
  for (let n = first; n <= killsMax; n += step) if (!(await livesOn(n))) break
  // A message is acknowledged beside the writes, so its place among them differs.
  const kinds = ['insert lanes', 'update executions', 'senders', 'broadcast', 'acknowledge']
  if (step === 1 && isNightly)
    for (const [n, kind] of kinds.entries())
      if (!isMet(kind)) expect(await livesOn(killsMax + 1 + n, kind), `killed at: ${kind}`).toBe(true)
  expect(killedAt.size).toBeGreaterThan(isNightly ? 1 : 0)
  await everyNonceIsUsed(environment)
})
