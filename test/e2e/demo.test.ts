import { expect } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DevnetFile } from '../../src/cli/installation/devnet-file'
import { chainIds } from '../../src/domain/chain/chain'
import { processesOf } from '../devnet/servers/processes-of'
import { nightly } from '../support/depth'
import { mongoUrl } from '../support/servers'
import { temporaryFolder } from '../support/temporary-folder'
import { until } from '../support/until'

const root = join(import.meta.dir, '..', '..')

async function startDemo(...options: string[]) {
  const folder = temporaryFolder('demo')
  const env = { ...process.env, SWITCHYARD_DIR: folder, MONGODB_URL: await mongoUrl(), CI: '1' }
  const command = [process.execPath, 'src/cli/main.ts', 'demo', '--port', '0', ...options]
  const child = Bun.spawn(command, { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
  const said = { text: '' }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) said.text += decoder.decode(bytes, { stream: true })
  })()
  const file = (): DevnetFile => JSON.parse(readFileSync(join(folder, 'devnet.json'), 'utf8'))
  const says = (what: string | RegExp) =>
    until(`the demo says ${what}`, async (note) => {
      note(said.text)
      if (child.exitCode !== null) throw new Error(`It ended: ${said.text}\n${await new Response(child.stderr).text()}`)
      return typeof what === 'string' ? said.text.includes(what) : what.test(said.text)
    })
  return { child, folder, said, reading, file, says }
}

nightly(
  'the demo routes from every chain, prints its addresses, restarts killed processes, and leaves nothing running',
  async () => {
    const { child, folder, said, file, says } = await startDemo()
    await says('It runs until Ctrl-C.')
    expect(said.text.match(/^✓ .* → .*: SUCCESS/gm)).toHaveLength(6)
    expect(statSync(join(folder, 'devnet.json')).mode & 0o777).toBe(0o600)

    const told = file()
    expect(Object.keys(told.chains).toSorted()).toEqual(chainIds.map(String).toSorted())
    expect(Object.keys(told.processes)).toContain('service')
    expect(said.text).toContain(`SWITCHYARD_DIR=${folder} npx switchyard deposit`)
    const curl = /curl -s -H 'x-api-key: (\S+)' (\S+)/.exec(said.text)!
    const listed = await fetch(curl[2]!, { headers: { 'x-api-key': curl[1]! } })
    expect(await listed.json()).toMatchObject([{ userId: 'alice', status: 'SUCCESS' }])
    expect((await fetch(`${told.docsUrl}/json`)).status).toBe(200)
    const refused = await fetch(curl[2]!, { headers: { 'x-api-key': told.keys.revoked } })
    expect(refused.status).toBe(401)

    for (const name of ['service', 'nats'] as const) {
      const pid = file().processes[name]!
      process.kill(pid, 'SIGKILL')
      await says(`! ${name} runs again`)
      await until('the file is true again', (note) => note(file().processes)[name] !== pid)
      expect(() => process.kill(file().processes[name]!, 0)).not.toThrow()
    }

    child.kill('SIGINT')
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
    expect(processesOf(folder)).toEqual([])
    expect(existsSync(join(folder, 'devnet.json'))).toBe(false)
  },
)

nightly('a demo that is killed leaves nothing running', async () => {
  const { child, folder, file, says } = await startDemo()
  await says(/✓ Service/)
  await until('it has said where everything is', (note) => note(readdirSync(folder)).includes('devnet.json'))
  const pids = Object.values(file().processes)
  child.kill('SIGKILL')
  await child.exited
  const isGone = (pid: number) =>
    !existsSync(`/proc/${pid}/cmdline`) || readFileSync(`/proc/${pid}/cmdline`).length === 0
  await until('every process of it is gone', (note) => {
    const left = note([...pids.filter((pid) => !isGone(pid)), ...processesOf(folder)])
    return left.length === 0
  })
})
