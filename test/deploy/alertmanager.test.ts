import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import { openPostbox } from '../dashboard/sign-in/postbox'
import { isNightly, nightly } from '../support/depth'
import { debianProgram, hasDebian } from '../support/kept-tools'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'
import { until } from '../support/until'

const root = join(import.meta.dir, '..', '..')
const path = join(root, 'deploy/prometheus/alertmanager.yaml')
const text = readFileSync(path, 'utf8')
type Route = { receiver: string; matchers?: string[] }
const { route, receivers } = Bun.YAML.parse(text) as {
  route: Route & { routes: Route[] }
  receivers: { name: string }[]
}
const names = receivers.map(({ name }) => name)
const program = (name: string) => debianProgram(name, 'prometheus-alertmanager')
const withAmtool = testWith('apt, with which Alertmanager is fetched,', hasDebian)
/** Debian's Alertmanager reads its templates from /usr/share, where only this process and its children see them. */
const aside = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]
const withTemplates = 'mount -t tmpfs none /usr/share && cp -r "$0" /usr/share/prometheus && exec "$@"'
const canMount =
  Bun.which('unshare') !== null && Bun.spawnSync([...aside, 'mount', '-t', 'tmpfs', 'none', '/mnt']).success
const withAlertmanager = isNightly
  ? testWith('apt, or no private mounts, with which Alertmanager runs,', hasDebian && canMount)
  : nightly

describe('the configuration of Alertmanager', () => {
  test('has a webhook, e-mail and a Slack-compatible URL, each with a route', () => {
    expect(names.toSorted()).toEqual(['email', 'slack', 'webhook'])
    expect([...new Set([route, ...route.routes].map(({ receiver }) => receiver))].toSorted()).toEqual(names.toSorted())
  })

  test('contains no secret: each is in a file', () => {
    const files = [...text.matchAll(/_file: (\S+)/g)].map(([, file]) => file!)
    expect(files).toHaveLength(3)
    expect(text).not.toMatch(/^\s*-?\s*(url|api_url|smtp_auth_password|slack_api_url):/m)
  })

  test('is the Alertmanager of the Prometheus configuration', () => {
    expect(readFileSync(join(root, 'deploy/prometheus/prometheus.yaml'), 'utf8')).toContain('alertmanager:9093')
  })

  withAmtool(
    'passes amtool, which sends a page to all three, a ticket to two, and anything else by e-mail',
    async () => {
      const amtool = await program('amtool')
      await runProgram([amtool, 'check-config', path])
      const goesTo = async (...labels: string[]) => {
        const routes = [amtool, 'config', 'routes', 'test', '--config.file', path]
        // Before or after the result, amtool warns about an address that this command does not use.
        const lines = (await runProgram([...routes, ...labels])).trim().split('\n')
        return lines.filter((line) => !line.startsWith('Warning: ')).flatMap((line) => line.split(',').toSorted())
      }
      expect(await goesTo('severity=page')).toEqual(['email', 'slack', 'webhook'])
      expect(await goesTo('severity=ticket')).toEqual(['email', 'slack'])
      expect(await goesTo('alertname=Other')).toEqual(['email'])
      const wrong = join(temporaryFolder('alertmanager'), 'wrong.yaml')
      writeFileSync(wrong, text.replace('api_url_file', 'api_url_fill'))
      await expect(runProgram([amtool, 'check-config', wrong])).rejects.toThrow()
    },
  )

  withAlertmanager('delivers an alert and its end to a webhook, a mailbox and a Slack-compatible URL', async () => {
    const { ask, addAsOnThePage, webhook, slack, postbox } = await running()
    const alert = {
      labels: { alertname: 'SwitchyardOverdue', severity: 'page', kind: 'LANE' },
      annotations: { summary: '2 of kind LANE should have moved by now' },
    }
    await ask([alert])
    const firing = { status: 'firing', alerts: [expect.objectContaining(alert)] }
    expect(await webhook(0)).toMatchObject(firing)
    expect(await slack(0)).toMatchObject({
      attachments: [
        {
          title: '[firing] SwitchyardOverdue (page)',
          text: '2 of kind LANE should have moved by now',
          color: 'danger',
        },
      ],
    })
    const mail = await postbox.emailTo('operators@example.com')
    expect(mail.from).toBe('switchyard@example.com')
    expect(mail.text).toContain('[firing] SwitchyardOverdue (page)')
    expect(mail.text).toContain('2 of kind LANE should have moved by now')
    await ask([{ ...alert, endsAt: new Date().toISOString() }])
    expect(await webhook(1)).toMatchObject({ status: 'resolved' })
    expect(await slack(1)).toMatchObject({ attachments: [{ title: '[resolved] SwitchyardOverdue (page)' }] })
    await addAsOnThePage()
    const own = { labels: { alertname: 'SwitchyardTest' }, annotations: { summary: 'A test' } }
    expect(await webhook(2)).toMatchObject({ status: 'firing', alerts: [own] })
  })
})

/** Runs Alertmanager with the configuration, with only its addresses, files and waiting times replaced. */
async function running() {
  const folder = temporaryFolder('alertmanager')
  const posted: Record<string, unknown[]> = { '/webhook': [], '/slack': [] }
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      posted[new URL(request.url).pathname]!.push(await request.json())
      return new Response('ok')
    },
  })
  const postbox = await openPostbox(0, { password: 'smtp secret' })
  const secrets = {
    'webhook-url': `http://127.0.0.1:${receiver.port}/webhook`,
    'slack-url': `http://127.0.0.1:${receiver.port}/slack`,
    'smtp-password': 'smtp secret',
  }
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, name), secret)
  const local = text
    .replaceAll('/etc/alertmanager/', `${folder}/`)
    .replace('mail.example.com:587', `${new URL(postbox.url).host}\n  smtp_require_tls: false`)
    .replace(/group_wait: \S+/, 'group_wait: 1s')
    .replace(/group_interval: \S+/, 'group_interval: 1s')
  writeFileSync(join(folder, 'alertmanager.yaml'), local)
  chmodSync(folder, 0o700)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawnChild(
    [
      ...[...aside, 'sh', '-c', withTemplates, join(await program('.'), '../share/prometheus')],
      await program('prometheus-alertmanager'),
      `--config.file=${join(folder, 'alertmanager.yaml')}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { log: join(folder, 'log') },
  )
  afterAll(async () => {
    await child.stop()
    await receiver.stop(true)
    await postbox.close()
  })
  await until('Alertmanager is ready', async (note) => {
    note(child.tail())
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok
  })
  const nth = (path: string) => (n: number) =>
    until(`message ${n} at ${path}`, (note) => {
      note(child.tail())
      return posted[path]![n]
    })
  return {
    webhook: nth('/webhook'),
    slack: nth('/slack'),
    postbox,
    async addAsOnThePage(): Promise<void> {
      const [line] = /amtool alert add .+/.exec(readFileSync(join(root, 'deploy/README.md'), 'utf8'))!
      const own = line.replace('amtool', await program('amtool')).replace('http://alertmanager:9093', url)
      await runProgram(['bash', '-c', own])
    },
    async ask(alerts: object[]): Promise<void> {
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify(alerts) })
      expect(status).toBe(200)
    },
  }
}
