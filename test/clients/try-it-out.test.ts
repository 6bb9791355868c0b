import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Execution } from '../../src/domain/execution'
import { findChromium, launch } from '../dashboard/browser'
import { peopledWorld, target, usdc } from '../http/world'
import { addressOf, executionOf, hashOf } from '../support/deposits'

const intent = {
  version: 3,
  apiKeyId: 'key_1',
  ...target,
  protocolFeeBps: 50,
  sponsoredGas: false,
  refundAddress: null,
} as const
const ended = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 5, dueAt: null } as const
const failed = { state: 'FAILED', status: 'FAILED', dueAt: Date.UTC(2030, 1) } as const
const waiting = { for: 'WORTH', since: 1, amountOutMin: '1' } as unknown as Execution['facts']['waiting']
const balance = { totalReceivedRaw: '1000' } as unknown as Execution['facts']['balance']

const world = await peopledWorld({ now: Date.now })

/** Executions as each verb of an operator needs one, by the number of their deposit. */
async function seed(): Promise<void> {
  const at = Date.now()
  const records: Partial<Execution>[] = [
    failed,
    { facts: { intent, waiting, balance } as Execution['facts'] },
    failed,
    ended,
    ended,
  ]
  const refundAddress = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  for (const [n, record] of records.entries()) {
    const [account, userId] = [addressOf(0xa0 + n), `payer-${n}`]
    const own: Partial<Execution> = { organizationId: 'org_a', userId, createdAt: at, ...record }
    own.facts = { ...own.facts, intent, routeId: hashOf(0x70 + n) }
    await world.store.executions.save(executionOf(n + 1, own, { account, token: usdc.base, detectedAt: at }))
    const owner = { id: account, organizationId: 'org_a', userId, createdAt: 1, updatedAt: 1 } as const
    await world.store.intents.save({ ...intent, ...owner, version: 0, refundAddress })
  }
  await world.operators.blacklist.refresh()
}

type Answers = Record<string, { id: string; depositAddress: string }>
const idOf = (n: number) => () => executionOf(n).id
/** What the service alone gives out, and a person copies from an earlier answer. */
const copied: Record<string, (answers: Answers) => string> = {
  getAccountProof: ({ putDepositIntent }) => putDepositIntent!.depositAddress,
  getDeposit: idOf(1),
  getExecution: idOf(1),
  retryExecution: idOf(1),
  approveExecution: idOf(2),
  deadLetterExecution: idOf(3),
  redriveExecution: idOf(4),
  refundExecution: idOf(5),
  getJob: ({ createJob }) => createJob!.id,
  getScan: ({ createScan }) => createScan!.id,
}

let browser: Browser
let page: Page
let url: string
beforeAll(async () => {
  await seed()
  world.api.listen({ port: 0, hostname: '127.0.0.1' })
  url = `http://127.0.0.1:${world.api.server!.port}`
  browser = await launch(findChromium()!)
  page = await browser.newPage()
  await page.goto(`${url}/docs`)
  await page.locator('.opblock').first().waitFor()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  world.api.server?.stop(true)
})

/** Presses Execute in the block of an operation, with nothing filled in but what it leaves empty and must have. */
async function press(operationId: string, answers: Answers): Promise<[operationId: string, shown: string]> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`)
  await block.locator('.opblock-summary-control').click()
  const execute = block.locator('.execute')
  await execute.waitFor()
  const key = block.locator('tr[data-param-name="idempotency-key"] input')
  if ((await key.count()) > 0) expect([operationId, await key.inputValue()]).toEqual([operationId, ''])
  const empty = block.locator('tr[data-param-in=path] input')
  if (operationId in copied) await empty.fill(copied[operationId]!(answers))
  const answering = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api/'))
  await execute.click()
  const answer = await answering
  const status = block.locator('.live-responses-table .response-col_status').last()
  await status.waitFor()
  const shown = (await status.innerText()).trim().split(/\s/)[0]!
  const body = shown === '204' || operationId === 'streamEvents' ? '' : await answer.text()
  if (body.startsWith('{')) answers[operationId] = JSON.parse(body)
  await block.locator('.opblock-summary-control').click()
  return [operationId, shown.startsWith('2') ? shown : `${shown} ${body}`]
}

test('Try it out succeeds for every operation as it is prefilled, from the first to the last', async () => {
  const { paths } = (await (await fetch(`${url}/docs/json`)).json()) as Paths
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const documented = new Map(operations.map(({ operationId, responses }) => [operationId, Object.keys(responses)]))
  const blocks = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id.split('-').at(-1)!))
  const inOrder = blocks.filter((id) => documented.has(id))
  expect(inOrder.toSorted()).toEqual([...documented.keys()].toSorted())

  const tagsOf = new Map(operations.map(({ operationId, tags }) => [operationId, tags[0]]))
  const answers: Answers = {}
  const wrong: unknown[] = []
  for (const operationId of inOrder) {
    const key = tagsOf.get(operationId) === 'Operators' ? world.platform : world.client
    await page.evaluate((text) => (window as unknown as Docs).ui.preauthorizeApiKey('apiKey', text), key)
    const [, shown] = await press(operationId, answers)
    if (!shown.startsWith('2') || !documented.get(operationId)!.includes(shown)) wrong.push([operationId, shown])
  }
  expect(wrong).toEqual([])
}, 300_000)

type Docs = { ui: { preauthorizeApiKey(scheme: string, key: string): void } }
type Paths = { paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: object }>> }
