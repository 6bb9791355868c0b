import { expect, test } from 'bun:test'
import { freePort } from '../../src/devnet/servers/free-port'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'

const environment = async () => ({
  ...process.env,
  ...serviceVariables,
  MONGODB_URL: await mongoUrl(),
  NATS_URL: await natsUrl(),
  PORT: `${await freePort()}`,
})

test('a program that is started loads nothing that only some requests need', () => {
  const program = `await import('./src/main'); console.log(Object.keys(require.cache).join())`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', program])
  const paths = stdout.toString().trim().split(',')
  expect(paths.length).toBeGreaterThan(500)
  for (const name of ['better-auth', 'nodemailer', 'prom-client', 'alchemy-sdk', '@elysiajs/swagger'])
    expect(paths.filter((path) => path.includes(`/node_modules/${name}/`))).toEqual([])
})

test('asked to stop as soon as it listens, a service still ends in order', async () => {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    env: { ...(await environment()), LOG_LEVEL: 'info' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const decoder = new TextDecoder()
  let said = ''
  for await (const part of child.stdout) {
    const wasListening = said.includes('STARTED')
    said += decoder.decode(part, { stream: true })
    if (!wasListening && said.includes('STARTED')) child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(said).toContain('STOPPING')
  expect(said).toContain('"STOPPED"')
}, 60_000)
