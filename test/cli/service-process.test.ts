import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService } from '../../src/cli/installation/service-process'
import { holdPort, isPortFree } from '../../src/devnet/servers/free-port'
import { temporaryFolder } from '../support/temporary-folder'

test('another program on the port is not mistaken for the service', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ready') })
  const log = join(temporaryFolder('service'), 'service.log')
  const { PATH, HOME } = process.env
  await expect(startService({ env: { PATH, HOME }, port: other.port!, log })).rejects.toThrow(/ended with code/)
  await other.stop(true)
})

test('a reserved port is unavailable to other processes until it is released', async () => {
  const { port, release } = (await holdPort(0))!
  expect(await holdPort(port)).toBeNull()
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
  await release()
  expect(await isPortFree(port)).toBe(true)
})
