import { expect, test } from 'bun:test'
import { freePort } from '../../src/devnet/servers/free-port'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'

const program = `
  const { main } = await import('./src/main')
  void main(process.env)
  const url = 'http://127.0.0.1:' + process.env.PORT
  const answer = (path) => fetch(url + path).then(({ status }) => status, () => 0)
  while ((await answer('/api/health')) !== 200) await Bun.sleep(5)
  const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('/arktype/'))
  const atFirst = isLoaded()
  await answer('/docs/json')
  console.log(JSON.stringify({ atFirst, later: isLoaded() }))
  process.exit(0)
`

const environment = async () => ({
  ...process.env,
  ...serviceVariables,
  MONGODB_URL: await mongoUrl(),
  NATS_URL: await natsUrl(),
  PORT: `${await freePort()}`,
})

test('the first answer waits for no schema: what makes them is loaded when one is needed', async () => {
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: { ...(await environment()), LOG_LEVEL: 'silent' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({ atFirst: false, later: true })
}, 60_000)

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
