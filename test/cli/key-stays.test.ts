import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { Command } from 'commander'
import { Api } from '../../src/cli/client/api'
import { webhookCommands } from '../../src/cli/verbs/webhook-commands'
import { testAll } from '../support/test-all'

const cli = join(import.meta.dir, '..', '..', 'src', 'cli')
const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')
const elsewhere: string[] = []
const other = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    elsewhere.push(`${request.method} ${request.url}`)
    return Response.json([])
  },
})
let answer = (_: URL): Response => Response.json(null)
const api = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(new URL(request.url)) })
afterAll(() => Promise.all([api.stop(true), other.stop(true)]))

async function switchyard(...args: string[]) {
  const env = { ...process.env, SWITCHYARD_API_URL: api.url.href, SWITCHYARD_API_KEY: 'sy_live_key' }
  const run = Bun.spawn([process.execPath, main, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return { code: await run.exited, out, err }
}

const more: Record<string, string[]> = { edit: ['--url', 'https://x.test'], resend: ['--event', 'evt_1'] }
const program = new Command()
webhookCommands(program)
const verbs = program.commands
  .find((each) => each.name() === 'webhooks')!
  .commands.map((each) => [
    'webhooks',
    each.name(),
    ...each.registeredArguments.map((one) => `${one.name()}_1`),
    ...(more[each.name()] ?? []),
  ])
const commands = [...verbs, ['operator', 'pauses'], ['audit', 'export'], ['audit', 'verify'], ['listen']]

testAll(commands.map((args) => [args.join(' '), args] as const))(
  'every command fails at a redirect, and does not send its key there',
  async (_, args) => {
    answer = ({ pathname }) => Response.redirect(new URL(pathname, other.url).href, 301)
    const { code, out, err } = await switchyard(...args)
    expect([code, out, elsewhere]).toEqual([1, '', []])
    expect(err).toContain('redirects to another address (301)')
  },
)

test('a proxy’s response is reported as such', async () => {
  answer = () => new Response('<h1>Bad gateway</h1>', { status: 502 })
  expect((await switchyard('webhooks', 'list')).err).toBe('The request was refused without a reason (502)\n')
  answer = () => new Response('<h1>Welcome</h1>')
  const { code, err } = await switchyard('webhooks', 'delete', 'whe_1')
  expect([code, err]).toEqual([1, expect.stringContaining('did not answer with JSON')])
})

test('an id that would change the path is refused before any request', async () => {
  const asked: string[] = []
  answer = ({ pathname }) => {
    asked.push(pathname)
    return Response.json([])
  }
  for (const id of ['', '.', '..']) {
    const { code, err } = await switchyard('webhooks', 'delivery', 'whe_1', id)
    expect([code, err]).toEqual([1, `"${id}" is not an id.\n`])
    expect(() => new Api(api.url.href, 'key').executions(id)).toThrow('is not an id')
  }
  expect(asked).toEqual([])
})

test('every sender of a key in the terminal sends it only to the service', () => {
  const sources = [...new Glob('**/*.ts').scanSync(cli)].map(
    (file) => [file, readFileSync(join(cli, file), 'utf8')] as const,
  )
  const senders = sources.filter(([, text]) => /headers: \{ 'x-api-key'/.test(text))
  expect(senders.length).toBeGreaterThan(3)
  for (const [file, text] of senders) expect([file, /\bfetch\((?!`\$\{controlUrl)/.test(text)]).toEqual([file, false])
})
