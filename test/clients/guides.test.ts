import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Glob } from 'bun'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { devnetFileOf, writeDevnetFile } from '../../src/cli/installation/devnet-file'
import { takeStateFolder } from '../../src/cli/installation/state-folder'
import { accounts } from '../../src/devnet/chains/accounts'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import type { Address } from '../../src/domain/chain/hex'
import { type ReceiptMessage, receiptDigest, type SignedReceipt } from '../../src/domain/execution/receipt'
import { secretBytes, secretText, signedHeaders } from '../../src/domain/webhook/signature'
import { receiptView } from '../../src/http/receipts/views'
import { findChromium, launch, reportOpen } from '../dashboard/browser/browser'
import { checkPlainPage } from '../dashboard/browser/page-checks'
import { type Environment, startEnvironment } from '../support/environment'
import { isNewPython } from '../support/kept-tools'
import { temporaryFolder } from '../support/temporary-folder'
import { isRequired, testWith } from '../support/tools'
import { exampleWallet } from './example-wallet'
import { type Guide, guidesIn } from './guides'
import { languages, npmTools } from './tools'

const root = join(import.meta.dir, '../..')
const [typescript] = languages
const hasPython = isNewPython() || isRequired
const isLeftOut = !typescript!.isHere && !isRequired
const byNpm = testWith(typescript!.needs, typescript!.isHere)
const byPython = testWith('npm, or no Python 3.11,', typescript!.isHere && isNewPython())
const chromium = await findChromium()

/** A folder that looks to the guides' commands like a clone of this repository with a running demo. */
let clone: string
let state: ReturnType<typeof takeStateFolder>
let environment: Environment
let guides: Guide[]
let told: Record<string, string>

beforeAll(async () => {
  if (isLeftOut) return
  const [started, tools, pages] = await Promise.all([
    startEnvironment(),
    npmTools(),
    guidesIn(join(root, 'docs/integrators')),
  ])
  environment = started
  guides = pages
  clone = temporaryFolder('guides')
  state = heldState(join(clone, '.switchyard'))
  await cp(join(root, 'clients/typescript'), join(clone, 'clients/typescript'), {
    recursive: true,
    filter: (from) => !/\/(node_modules|dist)$/.test(from),
  })
  for (const folder of ['node_modules', 'examples']) await symlink(join(root, folder), join(clone, folder))
  told = await carriedOut(tools)
})
afterAll(async () => {
  state?.release()
  await environment?.stop()
})

/** Writes the state folder as a demo does, so the command line finds this installation. */
function heldState(folder: string) {
  const { installation } = environment
  const before = process.env['SWITCHYARD_DIR']
  process.env['SWITCHYARD_DIR'] = folder
  const taken = takeStateFolder(() => {})
  if (before === undefined) delete process.env['SWITCHYARD_DIR']
  else process.env['SWITCHYARD_DIR'] = before
  taken.note({ mongodbUrl: installation.mongodbUrl, mongodbDatabase: installation.database })
  writeDevnetFile(folder, devnetFileOf(installation))
  return taken
}

/**
 * Replacements for slow or remote commands. `npm ci` uses the tests' packages of the same versions. `npx switchyard`
 * runs without npx, but only where npx would find it. A listener, which never ends, runs until its first output. A
 * refused command ends everything.
 */
const preamble = (tools: string): string => `
set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
curl() { command curl --silent --show-error --fail-with-body --retry 5 "$@"; echo; }
npx() {
  if [ ! -d clients ]; then echo "npx finds $1 in the folder of the repository alone, not in $PWD" >&2; return 1; fi
  shift
  if [ "$1" != listen ]; then '${process.execPath}' '${root}/src/cli/main.ts' "$@" --timeout 400; return; fi
  '${process.execPath}' '${root}/src/cli/main.ts' "$@" > listened.txt 2>&1 &
  until [ -s listened.txt ]; do kill -0 $! && sleep 0.2; done
  kill $!
  cat listened.txt
}
${hasPython ? '' : 'python3() { :; }'}
npm() { if [ "$1" = ci ]; then ln -s '${tools}/node_modules' node_modules; else command npm "$@"; fi; }
`

/** Runs every page in one shell, as a reader would, and returns the output of each. */
async function carriedOut(tools: string): Promise<Record<string, string>> {
  const port = String(await freePort())
  const withPort = (text: string) => text.replaceAll('4242', port)
  await mkdir(join(clone, 'hello'))
  for (const { programs } of guides)
    for (const [name, code] of programs) await Bun.write(join(clone, 'hello', name), withPort(code))
  const pages = guides.map(({ path, commands }) => `echo '== ${path}'\n${withPort(commands)}\n`)
  await Bun.write(join(clone, 'guides.sh'), preamble(tools) + pages.join(''))
  const offline = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' }
  const child = Bun.spawn(['bash', 'guides.sh'], {
    cwd: clone,
    env: { ...process.env, ...offline, HOOKS_PORT: port, SWITCHYARD_DIR: state.path, NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`The guides failed:\n${out.slice(-4000)}\n${error.slice(-4000)}`)
  const parts = out.split(/^== (.*)\n/m).slice(1)
  return Object.fromEntries(parts.flatMap((part, n) => (n % 2 === 0 ? [[part, parts[n + 1]!]] : [])))
}

byNpm('the guides name every neighbouring page, and show programs and commands', async () => {
  const pages = [...new Glob('*.md').scanSync(join(root, 'docs/integrators'))].filter((name) => name !== 'README.md')
  expect(guides.map(({ path }) => path).toSorted()).toEqual(pages.toSorted())
  for (const { path, programs, commands } of guides)
    for (const name of programs.keys())
      expect([path, commands]).toEqual([path, expect.stringContaining(`node ${name}`)])
  expect(guides.flatMap(({ programs }) => [...programs.keys()]).length).toBeGreaterThanOrEqual(5)
})

test('every code on the pages is run by a test, except the common error body', async () => {
  const pages = await guidesIn(join(root, 'docs/integrators'))
  expect(pages.flatMap(({ shown }) => shown)).toEqual([
    '    {"statusCode": 400, "message": "…", "error": "Bad Request"}',
  ])
  // worked-fees takes this from the page.
  expect(pages.flatMap(({ published }) => published)).toEqual(['fees'])
})

byNpm('the quick start packs the client, and ends with a delivered deposit', async () => {
  const said = told['quick-start.md']!
  expect(said).toMatch(/SUCCESS: \S/)
  expect(said).toMatch(/^delivered \d+\.\d+ USDC$/m)
  expect(said).toContain('"depositAddress":"0x')
})

byPython(
  'the quick start’s Python program makes an intent and lists executions, and another verifies a webhook',
  async () => {
    expect(told['webhooks.md']!).toMatch(/^Python verified execution\.success$/m)
    expect(told['quick-start.md']!).toMatch(/^zoe sends to 0x\w{40}\nexecutions of yara:\n8453:0x\w{64}:\d+ SUCCESS$/m)
  },
)

byNpm('the deposit page shows the address, its QR code and the accepted tokens', async () => {
  expect(told['deposit-page.md']).toMatch(/deposit\.html shows 0x\w{40} and [1-9]\d* tokens/)
  const page = await Bun.file(join(clone, 'hello/deposit.html')).text()
  expect(page).toContain('<svg')
  expect(page).toMatch(/<a href="ethereum:0x\w{40}@\d+[^"]*">\w+ on \w+<\/a>/)
  expect(told['deposit-page.md']).toContain('"amountOutExpectedAtomic":')
})

byNpm('webhooks are posted and verified until the delivery, and the list has the same events', async () => {
  const said = told['webhooks.md']!
  expect(said).toMatch(/^verified execution\.success$/m)
  expect(said).toContain('"type":"execution.success"')
  expect(said).toContain('"secret":"whsec_')
  expect(said).toContain('The signing secret of this listener')
})

byNpm('errors are distinguished by their code, and the books add up', async () => {
  expect(told['errors.md']).toMatch(/^The target address is /m)
  const booked = told['reconciling.md']!.match(/^\S+ USDC \d+ -> \d+ USDC/gm)
  expect(booked).toHaveLength(2)
  expect(told['reconciling.md']).toMatch(/^delivered \d+\.\d+ USDC \(42161:0x\w{40}\)$/m)
})

byNpm('a receipt is saved, verified by viem, and shown by both chains', async () => {
  const said = told['receipts.md']!
  const { id } = (/^saved the receipt of (?<id>\S+)$/m.exec(said)?.groups ?? {}) as { id?: string }
  expect(id).toMatch(/^\d+:0x\w{64}:\d+$/)
  expect(said).toMatch(/^\d+ of 0x\w{40} ended in SUCCESS, delivered \d+$/m)
  expect(said).toMatch(/^\w+ shows the spending in 0x\w{64}\.$/m)
  expect(said).toMatch(/^\w+ shows the delivery in 0x\w{64}\.$/m)
})

byNpm('--online finds a wrong delivery hash that the key of the service signed', async () => {
  const { message } = (await Bun.file(join(clone, 'hello/receipt.json')).json()) as SignedReceipt
  const [delivered] = message.delivered
  const key = memoryKey(accounts.receipts.privateKey)
  const planted = { ...message, delivered: [{ ...delivered!, txHash: message.spent[0]!.txHash }] } as ReceiptMessage
  const signature = await key.sign(receiptDigest(planted))
  await Bun.write(join(clone, 'planted.json'), JSON.stringify(receiptView(planted, { signer: key.address, signature })))
  const command = ['src/cli/main.ts', 'receipt', 'verify', join(clone, 'planted.json'), '--signer', key.address]
  const env = { ...process.env, SWITCHYARD_DIR: state.path }
  const run = async (args: string[]) => {
    const child = Bun.spawn([process.execPath, ...command, ...args], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
    const [code, error] = await Promise.all([child.exited, new Response(child.stderr).text()])
    return { code, error }
  }
  expect(await run([])).toEqual({ code: 0, error: '' })
  const { code, error } = await run(['--online'])
  expect(code).toBe(1)
  expect(error).toStartWith('arbitrum does not show the delivery. The chain has no transaction 0x')
})

byNpm('the programs of the guides match the types of the package', async () => {
  const options = ['--allowJs', '--checkJs', '--noEmit', '--skipLibCheck', '--target', 'esnext', '--strict', 'false']
  const modules = ['--module', 'nodenext', '--types', 'node']
  const programs = guides.flatMap(({ programs }) => [...programs.keys()])
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await runProgram([process.execPath, tsc, ...options, ...modules, ...programs], { cwd: join(clone, 'hello') })
})

byNpm(
  'the guide’s receiver accepts events without a number once, numbered ones if they are newer or follow a dropped block, and credits no refund',
  async () => {
    const hooks = await Bun.file(join(clone, 'hello/hooks.mjs')).text()
    const secret = secretText(new Uint8Array(secretBytes).fill(7))
    const event = (type: string, seq: number | null, data: object) => {
      const body = JSON.stringify({ id: `evt_${type}`, type, timestamp: new Date().toISOString(), seq, data })
      return { body, headers: signedHeaders({ id: `evt_${type}`, body }, [secret], Date.now()) }
    }
    const execution = { id: '8453:0x1:0' }
    const ended = (id: string, amountOut: string, refund: boolean) =>
      event('execution.success', 11, { id, userId: 'zoe', amountOut, toTokenAddress: '0x2', funds: { refund } })
    const events = [
      event('execution.running', 8, execution),
      event('execution.pending', 4, execution),
      event('intent.updated', null, { userId: 'zoe', version: 2 }),
      event('intent.updated', null, { userId: 'zoe', version: 2 }),
      event('chain.paused', null, { chainId: 8453 }),
      ...[1, 2].map((seq) => event(seq === 1 ? 'deposit.detected' : 'deposit.orphaned', seq, { id: '8453:0x3:0' })),
      event('execution.moved', 2, { id: '8453:0x3:0' }),
      event('deposit.returned', 1, { id: '8453:0x3:0' }),
      ended('8453:0x2:0', '7', true),
      ended(execution.id, '5', false),
    ]
    const url = `http://127.0.0.1:${hooks.match(/listen\((\d+)/)![1]}/`
    const post = `for (const event of ${JSON.stringify(events)}) await fetch('${url}', { method: 'POST', ...event })`
    await Bun.write(join(clone, 'hello/posted.mjs'), `import './hooks.mjs'\n${post}\n`)
    const env = { ...process.env, SECRET: secret }
    const said = await runProgram(['node', 'posted.mjs'], { cwd: join(clone, 'hello'), env })
    expect(said.trim().split('\n')).toEqual([
      'verified execution.running',
      'verified intent.updated',
      'verified chain.paused',
      'verified deposit.detected',
      'verified deposit.orphaned',
      'verified execution.moved',
      'verified deposit.returned',
      'verified execution.success',
      'verified execution.success',
      'credit zoe with 5 of 0x2',
    ])
  },
)

byNpm('the guide’s follower prints a refund as a refund', async () => {
  const refund = {
    status: 'SUCCESS',
    completedAt: '2026-11-21T10:01:02.420Z',
    amountOut: '5000000',
    toTokenDecimals: 6,
  }
  const more = { toTokenSymbol: 'USDC', funds: { refund: true }, next: { message: 'Refunded to the refund address.' } }
  const server = createServer((request, response) => {
    if (!request.url!.startsWith('/api/events'))
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify([{ ...refund, ...more }]))
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const env = { ...process.env, KEY: 'key', API: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const said = await runProgram(['node', 'follow.mjs'], { cwd: join(clone, 'hello'), env })
    expect(said.trim()).toBe('SUCCESS: Refunded to the refund address.\nrefunded 5 USDC')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

/** Creates an endpoint over a connection that is cut, has a sample posted to itself, and verifies it. Runs on Node. */
const cutProgram = `
import { createServer } from 'node:http'
import { Switchyard, verifyWebhook } from '@switchyard/client'
const client = new Switchyard({ baseUrl: process.env.CUT_API, apiKey: process.env.KEY, retry: { firstMs: 10 } })
const seen = []
let secret
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  seen.push((await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret })).type)
  response.writeHead(204).end()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = 'http://127.0.0.1:' + server.address().port + '/hooks'
const made = await client.createWebhookEndpoint({ url })
secret = made.secret
const { status } = await client.testWebhookEndpoint(made.id, { type: 'execution.success' })
const endpoints = (await client.listWebhookEndpoints()).filter((each) => each.url === url)
console.log(JSON.stringify({ status, seen, made: made.id, endpoints: endpoints.map(({ id }) => id) }))
server.close()
`

byNpm('a mutation whose response was cut off happens once, and its repetition has the secret', async () => {
  const { apiUrl, keys } = environment.installation
  const sent: (string | null)[] = []
  const way = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const headers = { ...(request.headers as Record<string, string>), connection: 'close' }
    const { method = 'GET' } = request
    const answer = await fetch(`${apiUrl}${request.url}`, { method, headers, ...(method !== 'GET' && { body }) })
    const text = await answer.text()
    if (method === 'POST' && request.url === '/api/webhook-endpoints')
      sent.push(answer.headers.get('idempotent-replayed'))
    if (sent.length === 1) request.socket.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  try {
    await Bun.write(join(clone, 'hello/cut.mjs'), cutProgram)
    const env = {
      ...process.env,
      KEY: keys.client,
      CUT_API: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    }
    const said = JSON.parse(await runProgram(['node', 'cut.mjs'], { cwd: join(clone, 'hello'), env }))
    expect(sent).toEqual([null, 'true'])
    expect(said).toEqual({
      status: 'DELIVERED',
      seen: ['execution.success'],
      made: said.made,
      endpoints: [said.made],
    })
  } finally {
    way.closeAllConnections()
    way.close()
  }
})

const inBrowser = testWith('npm, or no browser,', typescript!.isHere && chromium !== null)
inBrowser(
  'the example wallet shows an address in the browser, and follows a deposit until it has arrived',
  async () => {
    const { apiUrl: API, keys } = environment.installation
    const { url, stop } = await exampleWallet({ API, KEY: keys.client })
    const browser = await launch(chromium!)
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
      page.setDefaultTimeout(5 * 60_000)
      const complaints: string[] = []
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      await page.goto(url)
      const address = page.locator('code').filter({ hasText: /^0x.{40}$/ })
      await address.waitFor()
      expect(await page.getByRole('img', { name: 'Your address as a QR code' }).count()).toBe(1)
      expect(await page.locator('table a[href^="ethereum:0x"]').count()).toBeGreaterThan(3)
      const to = (await address.textContent()) as Address
      await environment.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to })
      await page.getByRole('listitem').filter({ hasText: '25 USDC on Base: Arrived' }).waitFor()
      await page.reload()
      await page.getByRole('listitem').filter({ hasText: '25 USDC on Base: Arrived' }).waitFor()
      expect(await address.textContent()).toBe(to)
      const copy = page.getByRole('button', { name: 'Copy the address' })
      await copy.click()
      await page.getByText('select the address by hand').waitFor()
      await page.context().grantPermissions(['clipboard-write'])
      await copy.click()
      await page.getByText('Copied.').waitFor()
      expect([await checkPlainPage(page, 'example-wallet'), complaints]).toEqual([{}, []])
      await page.close()
    } finally {
      await reportOpen(browser)
      await browser.close()
      await stop()
    }
  },
)
