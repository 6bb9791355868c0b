import { afterAll, beforeAll, expect } from 'bun:test'
import { type Environment, startEnvironment } from '../support/environment'
import { hasOwnNats } from '../support/servers'
import { complaints, readiness } from '../support/service-seen'
import { testOn } from '../support/tools'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  if (!hasOwnNats) return
  environment = await startEnvironment()
})
afterAll(async () => {
  signal('SIGCONT')
  await environment?.stop()
})

const signal = (name: NodeJS.Signals): void => {
  const pid = environment?.installation.server('nats').pid
  if (pid) process.kill(pid, name)
}

/** A foreign server must not be stopped. */
const onOwnNats = testOn('a NATS of the test’s own', hasOwnNats)

onOwnNats(
  'readiness shows a silent NATS, deposits still arrive, and messages wake again when it responds',
  async () => {
    const { devnet, newUserId, intend, ended, routesExecuted } = environment
    const userId = newUserId('silent')
    const { depositAddress: to } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    signal('SIGSTOP')
    const down = await until('readiness that says NATS is down', async (note) => {
      const found = note(await readiness(environment))
      return found.checks['nats'] === 'down' && found
    })
    expect(down).toMatchObject({ status: 200, checks: { mongodb: 'ok', base: 'ok' } })
    await intend(userId, { to: 'arbitrum', receive: 'USDT' }) // requests without messages are answered
    const sentAt = performance.now()
    for (const chainKey of ['base', 'polygon'] as const)
      await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 11_000_000n, to })
    expect((await ended(userId, 2)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    const silentMs = Math.round(performance.now() - sentAt)
    expect((await readiness(environment)).checks['nats']).toBe('down')
    signal('SIGCONT')
    await until('readiness again', async (note) => note(await readiness(environment)).checks['nats'] === 'ok')
    const againAt = performance.now()
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 12_000_000n, to })
    expect((await ended(userId, 3)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    const spokenMs = Math.round(performance.now() - againAt)
    console.log(`silent NATS: two deposits SUCCESS after ${silentMs} ms; one with NATS after ${spokenMs} ms`)
    expect(await routesExecuted()).toHaveLength(3)
    for (const [message, times] of Object.entries(complaints(environment)))
      expect(times, message).toBeLessThanOrEqual(3)
  },
)
