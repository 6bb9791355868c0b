import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planFor, triggerNames } from '../../src/cli/demo/cause-event'
import { temporaryFolder } from '../support/temporary-folder'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

async function trigger(name: string, env: Record<string, string>) {
  const run = Bun.spawn([process.execPath, main, 'trigger', name], {
    env: { ...process.env, SWITCHYARD_DIR: temporaryFolder('no-demo'), ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return [await run.exited, await new Response(run.stderr).text()]
}

test('the command refuses an installation that is not a local devnet', async () => {
  expect(await trigger('SUCCESS', { SWITCHYARD_API_URL: 'https://api.example.com', SWITCHYARD_API_KEY: 'k' })).toEqual([
    1,
    expect.stringContaining('only on a devnet of this machine, but SWITCHYARD_API_URL names https://api.example.com'),
  ])
  expect(await trigger('SUCCESS', {})).toEqual([1, expect.stringContaining('No demo runs in the folder')])
})

test('an outcome maps to the event of its status, and an unknown one is named', () => {
  expect(planFor('DEAD_LETTER').type).toBe('execution.dead_letter')
  expect(triggerNames.map((name) => planFor(name).type).every((type) => triggerNames.includes(type))).toBe(true)
  expect(() => planFor('execution.lost')).toThrow('There is no event or outcome execution.lost. There are: deposit.')
})

test('a deposit is sent to a new user, and the command ends when the service reports its outcome', async () => {
  const asked: string[] = []
  let user = ''
  const isSent = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push(`${request.method} ${pathname.replace(user || 'no user yet', '{user}')}${search}`)
      const body = request.method === 'POST' ? ((await request.json()) as Record<string, string>) : {}
      if (pathname === '/deposits') {
        expect(body).toEqual({ depositAddress: '0x01', fromChainKey: 'base', outcome: 'DEAD_LETTER' })
        isSent.resolve()
        return Response.json({ depositTxHash: '0x02' }, { status: 201 })
      }
      if (pathname === '/api/deposit-intents') {
        user = body['userId']!
        return Response.json({ userId: user, depositAddress: '0x01' }, { status: 201 })
      }
      if (pathname !== '/api/events/stream') return Response.json({ message: 'none' }, { status: 404 })
      const told = (userId: string) => {
        const event = { id: `evt_${userId}`, type: 'execution.dead_letter', timestamp: '', data: { id: 'e', userId } }
        return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
      }
      const stream = new ReadableStream({
        async start(reader) {
          reader.enqueue(new TextEncoder().encode(`retry: 3000\n\n${told('somebody-else')}`))
          await isSent.promise
          reader.enqueue(new TextEncoder().encode(told(user)))
        },
      })
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const dir = temporaryFolder('a-demo')
  const url = server.url.origin
  // This process plays the demo that runs in the folder.
  writeFileSync(join(dir, 'running.json'), JSON.stringify({ pid: process.pid, bornAt: null }))
  const file = { apiUrl: url, controlUrl: url, keys: { client: 'sy_live_key' }, chains: {} }
  writeFileSync(join(dir, 'devnet.json'), JSON.stringify(file))
  const run = Bun.spawn([process.execPath, main, 'trigger', 'DEAD_LETTER'], {
    env: { ...process.env, SWITCHYARD_DIR: dir },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = [
    await new Response(run.stdout).text(),
    await new Response(run.stderr).text(),
    await run.exited,
  ]
  await server.stop(true)
  expect([err, code]).toEqual(['', 0])
  expect(out).toContain(`execution.dead_letter evt_${user} of ${user}: e`)
  expect(asked[0]).toBe('GET /api/events/stream?types=execution.dead_letter')
  expect(asked).toContain('POST /deposits')
})
