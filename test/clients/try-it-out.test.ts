import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Execution } from '../../src/domain/execution/execution'
import { findChromium, keepScreen, launch, patienceMs, reportOpen } from '../dashboard/browser/browser'
import { axe } from '../dashboard/browser/page-checks'
import { peopledWorld, target, usdc } from '../http/world'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { isNightly, sample } from '../support/depth'
import { type Note, until } from '../support/until'
import { deliveryOfExample, endpointOf } from '../support/webhooks'

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

const refundAddress = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
/** Executions in the state that each operator action needs, by the number of their deposit. */
const records: Partial<Execution>[] = [
  failed,
  { facts: { intent, waiting, balance } as Execution['facts'] },
  failed,
  ended,
  ended,
]

/** Disables the page's transitions, whose frames would all be laid out and painted. */
function stopMotion(): void {
  const still = new CSSStyleSheet()
  still.replaceSync('* { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets = [still]
}

/** A service with some executions, and its page. */
async function open() {
  const world = await peopledWorld({ now: Date.now })
  const at = Date.now()
  for (const [n, record] of records.entries()) {
    const [account, userId] = [addressOf(0xa0 + n), `payer-${n}`]
    const own: Partial<Execution> = { organizationId: 'org_a', userId, createdAt: at, ...record }
    own.facts = { ...own.facts, intent, routeId: hashOf(0x70 + n) }
    await world.store.executions.save(executionOf(n + 1, own, { account, token: usdc.base, detectedAt: at }))
    const owner = { id: account, organizationId: 'org_a', userId, createdAt: 1, updatedAt: 1 } as const
    await world.store.intents.save({ ...intent, ...owner, version: 0, refundAddress })
  }
  for (const id of endpointOperations.map(idOfEndpoint)) {
    await world.store.webhookEndpoints.save(endpointOf(id, 'org_a', at))
    await world.store.webhookDeliveries.save(deliveryOfExample(id, 'org_a', at))
  }
  await world.operators.blacklist.refresh()
  world.api.listen({ port: 0, hostname: '127.0.0.1' })
  const url = `http://127.0.0.1:${world.api.server!.port}`
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(`${url}/docs`)
  await page.locator('.opblock').first().waitFor()
  await page.evaluate(stopMotion)
  return { world, url, page, stop: () => world.api.server?.stop(true) }
}

/** Number of operations pressed in the normal run. The page reads its document again for each, which costs a second. */
const pressedMany = 6

type Answers = Record<string, { id: string; depositAddress: string }>
/** An endpoint per operation, because one of them deletes it. */
const endpointOperations = [
  'getWebhookEndpoint',
  'changeWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookSecret',
  'listWebhookDeliveries',
  'getWebhookDelivery',
  'testWebhookEndpoint',
  'resendWebhooks',
] as const
const idOfEndpoint = (operationId: string): string => `whe_${operationId}`
const idOf = (n: number) => () => executionOf(n).id
/** Values that only the service has, and that a person copies from an earlier response. */
const copied: Record<string, (answers: Answers) => string | Record<string, string>> = {
  getAccountProof: ({ putDepositIntent }) => putDepositIntent!.depositAddress,
  getDeposit: idOf(1),
  getExecution: idOf(1),
  getReceipt: idOf(4),
  retryExecution: idOf(1),
  approveExecution: idOf(2),
  deadLetterExecution: idOf(3),
  redriveExecution: idOf(4),
  refundExecution: idOf(5),
  getJob: ({ createJob }) => createJob!.id,
  getScan: ({ createScan }) => createScan!.id,
  ...Object.fromEntries(endpointOperations.map((id) => [id, () => idOfEndpoint(id)])),
  getWebhookDelivery: () => {
    const id = idOfEndpoint('getWebhookDelivery')
    return { id, deliveryId: deliveryOfExample(id, 'org_a', 0).id }
  },
}

/** Number of polls of an empty block before it is closed and opened again. */
const looksUntilAgain = 100

let browser: Browser
let opened: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  browser = await launch((await findChromium())!)
  opened = await open()
})
afterEach(() => reportOpen(browser))
afterAll(async () => {
  await browser?.close()
  opened?.stop()
})

/**
 * Shows one operation with its references. Among all operations each key and click takes seconds, because the page
 * reads the whole document again.
 */
async function showAlone(page: Page, described: Described, operationId: string): Promise<void> {
  const paths = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.operationId === operationId ? [[path, { [method]: operation }]] : [],
    ),
  )
  const components: Described['components'] = {}
  const add = (part: object): void => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (components[kind!]?.[name!]) continue
      const known = described.components[kind!]![name!]!
      components[kind!] = { ...components[kind!], [name!]: known }
      add(known)
    }
  }
  add(paths)
  const { securitySchemes } = described.components
  const { webhooks: _, ...rest } = described
  const alone = { ...rest, paths: Object.fromEntries(paths), components: { ...components, securitySchemes } }
  await page.evaluate((text) => (window as unknown as Docs).ui.specActions.updateSpec(text), JSON.stringify(alone))
  await page.waitForFunction(() => document.querySelectorAll('.opblock').length === 1)
}

const pathRow = (name: string): string => `tr[data-param-in=path][data-param-name="${name}"]`

/** Presses Execute in the block of an operation, and fills in only required fields without a value. */
async function press(page: Page, { operationId, parameters }: Operation, answers: Answers): Promise<string> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`)
  const execute = block.locator('.execute')
  // A block that is redrawn at that moment loses the click or its content.
  let looks = 0
  const opens = async (note: Note) => {
    if (await execute.isVisible()) return true
    const isOpen = await block.evaluate(({ classList }) => classList.contains('is-open'))
    note({ isOpen, looks })
    if (!isOpen || ++looks % looksUntilAgain === 0) await block.locator('.opblock-summary-control').click()
    return false
  }
  await until(`${operationId} open`, opens, { everyMs: 100 })
  const last = (parameters?.length ?? 0) - 1
  if (last >= 0) await block.locator('tr[data-param-name]').nth(last).waitFor()
  const key = block.locator('tr[data-param-name="idempotency-key"] input')
  if ((await key.count()) > 0) expect([operationId, await key.inputValue()]).toEqual([operationId, ''])
  const empty = block.locator('tr[data-param-in=path] input')
  if (operationId in copied) {
    const given = copied[operationId]!(answers)
    const fields =
      typeof given === 'string'
        ? [{ field: empty, value: given }]
        : Object.entries(given).map(([name, value]) => ({ field: block.locator(`${pathRow(name)} input`), value }))
    expect([operationId, await empty.count()]).toEqual([operationId, fields.length])
    for (const { field, value } of fields) {
      expect([operationId, await field.inputValue()]).toEqual([operationId, ''])
      await field.fill(value)
    }
  }
  const answering = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/api/'))
  await execute.click()
  const answer = await answering
  const status = block.locator('.live-responses-table .response-col_status').last()
  await status.waitFor()
  const shown = (await status.innerText()).trim().split(/\s/)[0]!
  const body = shown === '204' || operationId === 'streamEvents' ? '' : await answer.text()
  // The audit export returns JSON lines, which begin like JSON.
  const isJson = answer.headers()['content-type']?.startsWith('application/json')
  if (isJson && body.startsWith('{')) answers[operationId] = JSON.parse(body)
  await block.locator('.opblock-summary-control').click()
  return shown.startsWith('2') ? shown : `${shown} ${body}`
}

/** Calls an operation as the page would, with the document's examples and defaults. */
async function ask(url: string, key: string, { operation, method, path, parameters }: Place, answers: Answers) {
  const { operationId, requestBody } = operation
  const given = copied[operationId]?.(answers) ?? {}
  const asked = new URL(path, url)
  for (const { name, in: where, required, example, schema } of parameters) {
    const value = typeof given === 'string' && where === 'path' ? given : (Object(given)[name] ?? example)
    if (where === 'path') asked.pathname = asked.pathname.replace(encodeURI(`{${name}}`), encodeURIComponent(value!))
    else if (required || schema?.default !== undefined) asked.searchParams.set(name, `${value ?? schema!.default}`)
  }
  const body = requestBody && JSON.stringify(requestBody.content['application/json'].example)
  const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(asked, { method: method.toUpperCase(), headers, ...(body && { body }) })
  // A stream has no end.
  const text = operationId === 'streamEvents' ? await answer.body!.cancel().then(() => '') : await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (isJson && text.startsWith('{')) answers[operationId] = JSON.parse(text)
  return answer.ok ? `${answer.status}` : `${answer.status} ${text}`
}

test('"Try it out" succeeds for every operation with the prefilled values', async () => {
  const { url, page, world } = opened
  const described = (await (await fetch(`${url}/docs/json`)).json()) as Described
  const shared = (part: Parameter | { $ref: string }): Parameter =>
    '$ref' in part ? (described.components['parameters']![part.$ref.split('/').at(-1)!] as Parameter) : part
  const places = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => {
      const parameters = operation.parameters?.map(shared) ?? []
      return { path, method, operation, parameters }
    }),
  )
  const documented = new Map(places.map((place) => [place.operation.operationId, place]))
  const shown = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id.split('-').at(-1)!))
  const inOrder = shown.filter((id) => documented.has(id))
  expect(inOrder.toSorted()).toEqual([...documented.keys()].toSorted())

  const isOperators = (id: string) => documented.get(id)!.operation.tags[0] === 'Operators'
  const pressed = new Set(sample('operations pressed in the page', inOrder, pressedMany))
  const answers: Answers = {}
  const wrong: string[][] = []
  let isFirst = true
  const tryOut = async (key: string, id: string): Promise<string> => {
    if (!pressed.has(id)) return ask(url, key, documented.get(id)!, answers)
    // The first is pressed among all the others, on the page as served.
    if (!isFirst) await showAlone(page, described, id)
    isFirst = false
    return press(page, documented.get(id)!.operation, answers)
  }
  for (const [key, isTheirs] of [
    [world.client, (id: string) => !isOperators(id)],
    [world.platform, isOperators],
  ] as const) {
    await page.evaluate((text) => (window as unknown as Docs).ui.preauthorizeApiKey('apiKey', text), key)
    for (const id of inOrder.filter(isTheirs)) {
      const status = await tryOut(key, id)
      if (!status.startsWith('2') || !(status in documented.get(id)!.operation.responses)) wrong.push([id, status])
    }
  }
  expect(wrong).toEqual([])
  await page.close()
})

/** The serious findings of the whole page, with the elements. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(node: Node, options: object): Promise<Findings> } }
    const { violations } = await axe.run(document, { resultTypes: ['violations'], preload: false })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`))
  })
}
type Findings = { violations: { id: string; impact: string; nodes: { html: string; any: { message: string }[] }[] }[] }

const shownOperations = (page: Page): Promise<string[]> =>
  page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id.split('-').at(-1)!))

test('the page finds operations by any words, and is accessible in light and dark', async () => {
  const { url } = opened
  const page = await browser.newPage({ colorScheme: 'dark', reducedMotion: 'reduce' })
  page.setDefaultTimeout(patienceMs)
  await page.goto(`${url}/docs`)
  await page.locator('.opblock').first().waitFor()
  const checkBoth = async (title: string) => {
    const found: Record<string, string[]> = {}
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      found[`${title} ${colorScheme}`] = await seriousFindings(page)
      await keepScreen(page, `api-${title}-${colorScheme}`)
    }
    return found
  }
  const found = isNightly ? await checkBoth('whole') : {}
  const search = page.getByRole('searchbox', { name: 'Search operations' })
  const searched = async (words: string, expected: string[]) => {
    await search.fill(words)
    await until(
      `the operations of ${words}`,
      async (note) => {
        const shown = await shownOperations(page)
        note({ shown })
        return shown.join() === expected.join()
      },
      { everyMs: 100 },
    )
  }
  await searched('rotate SECRET endpoints', ['rotateWebhookSecret'])
  await searched('deposit waits pause', ['onDepositPaused'])
  await searched('five chains works', ['listChains'])
  await page.evaluate((key) => (window as unknown as Docs).ui.preauthorizeApiKey('apiKey', key), opened.world.client)
  await page.locator('.opblock-summary-control').click()
  await page.locator('.opblock .execute').click()
  await page.locator('.live-responses-table').waitFor()
  Object.assign(found, await checkBoth('one'))
  await page.close()
  expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([])
})

type Docs = {
  ui: { preauthorizeApiKey(scheme: string, key: string): void; specActions: { updateSpec(text: string): void } }
}
type Parameter = { name: string; in: string; required?: boolean; example?: string; schema?: { default?: unknown } }
type Operation = {
  operationId: string
  tags: string[]
  responses: object
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': { example: object } } }
}
type Place = { path: string; method: string; operation: Operation; parameters: Parameter[] }
type Described = {
  webhooks?: object
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, object>>
}
