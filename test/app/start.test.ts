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

test('a started program loads nothing that only some requests need', () => {
  const program = `await import('./src/main'); console.log(Object.keys(require.cache).join())`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', program])
  const paths = stdout.toString().trim().split(',')
  expect(paths.length).toBeGreaterThan(500)
  for (const name of ['better-auth', 'nodemailer', 'prom-client', 'alchemy-sdk', '@elysiajs/swagger'])
    expect(paths.filter((path) => path.includes(`/node_modules/${name}/`))).toEqual([])
})

test('a service stopped right after its start keeps serving until load balancers know, and then ends in order', async () => {
  const env = { ...(await environment()), LOG_LEVEL: 'info', SHUTDOWN_DELAY_MS: '3000' }
  const child = Bun.spawn([process.execPath, 'src/main.ts'], { env, stdout: 'pipe', stderr: 'inherit' })
  const decoder = new TextDecoder()
  const answers: Promise<Response>[] = []
  let said = ''
  for await (const part of child.stdout) {
    const was = said
    said += decoder.decode(part, { stream: true })
    const isNew = (event: string) => said.includes(`"${event}"`) && !was.includes(`"${event}"`)
    if (isNew('STARTED')) child.kill('SIGTERM')
    if (isNew('STOPPING'))
      answers.push(...['/ready', '/api/health'].map((path) => fetch(`http://127.0.0.1:${env.PORT}${path}`)))
  }
  expect(await child.exited).toBe(0)
  expect(said).toContain('"STOPPED"')
  const [ready, health] = await Promise.all(answers)
  expect([ready!.status, (await ready!.json()).status, health!.status]).toEqual([503, 'draining', 200])
  expect(health!.headers.get('connection')).toBe('close')
})
