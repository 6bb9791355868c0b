import { brotliCompressSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { executionModel } from '../src/adapters/mongo/collections/execution-model'
import { findChromium, launch, settled, signIn, visit } from '../test/dashboard/browser/browser'
import { type Environment, startEnvironment } from '../test/support/environment'

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`
const ms = (value: number): string => `${value.toFixed(0)} ms`
const executionsMany = Number(process.env['EXECUTIONS'] ?? 10_000)
const batch = 1_000
const clicksMany = 15
const squeezeMs = 60_000
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 }

type Account = { email: string; password: string }
const median = (values: readonly number[]): string => ms(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0)

/** Measures the size of the pages, their appearance on a slow connection, and their speed under load. */
export async function dashboard(): Promise<string[]> {
  const chromium = await findChromium()
  if (!chromium) return ['dashboard: no browser here']
  const [world, browser] = await Promise.all([startEnvironment(), launch(chromium)])
  try {
    const { apiUrl: url, dashboard: account } = world.installation
    const { page, context } = await visit(browser, url)
    await settled(page)
    const scripts = await scriptsOf(page)
    await signIn(page, account.email, account.password)
    await settled(page)
    await squeezed(new Set([...scripts, ...(await scriptsOf(page))]))
    const lines = await firstLoads(browser, url, account)
    await fill(world)
    const home = page.url()
    await page.goto(`${home}/executions`)
    await settled(page)
    await page.evaluate(noteInteractions)
    const [empty, all]: [number[], number[]] = [[], []]
    for (const _time of Array(clicksMany)) {
      const button = (name: string) => page.getByRole('button', { name, exact: true }).click()
      empty.push(await timed(page, () => button('Retrying'), 'No execution matches'))
      all.push(await timed(page, () => button('All'), 'SUCCESS'))
    }
    const painted = await page.evaluate(() => (globalThis as unknown as { painted: number[] }).painted)
    lines.push(
      `dashboard: ${executionsMany} executions: a click on a filter is painted after ${median(painted)}, ` +
        `answered after ${median(empty)} when nothing matches, ${median(all)} when all do (p50 of ${clicksMany})`,
    )
    lines.push(...(await flood(page)))
    await context.close()
    return lines
  } finally {
    await browser.close()
    await world.stop()
  }
}

const scriptsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => /\.(js|css)$/.test(name)),
  )

/** Waits until the service sends each page with its best compression, which is ready a moment after the start. */
async function squeezed(addresses: ReadonlySet<string>): Promise<void> {
  const deadline = performance.now() + squeezeMs
  const bytesOf = async (address: string, encoding: string) => {
    const answer = await fetch(address, { headers: { 'accept-encoding': encoding }, decompress: false })
    return new Uint8Array(await answer.arrayBuffer())
  }
  for (const address of addresses) {
    const least = brotliCompressSync(await bytesOf(address, 'identity')).byteLength
    while ((await bytesOf(address, 'br')).byteLength > least) {
      if (performance.now() > deadline)
        throw new Error(`It was not compressed within ${squeezeMs / 1_000} s: ${address}`)
      await Bun.sleep(100)
    }
  }
}

/** Loads sign-in and overview with an empty cache, on a normal and on a slow connection. */
async function firstLoads(browser: Browser, url: string, { email, password }: Account): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const lines: string[] = []
  for (const what of ['sign-in', 'overview']) {
    const [quick, slow] = [await firstLoad(context, url, false), await firstLoad(context, url, true)]
    lines.push(
      `dashboard: first load of ${what}: ${kib(quick.bytes)} in ${quick.requests} requests, ` +
        `first paint ${ms(quick.paintMs)}; at 1.6 Mbit/s and 150 ms ${ms(slow.paintMs)}`,
    )
    if (what === 'overview') continue
    const page = await context.newPage()
    await page.goto(`${url}/app`)
    await signIn(page, email, password)
    await page.close()
  }
  await context.close()
  return lines
}

async function firstLoad(context: BrowserContext, url: string, isSlow: boolean) {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  if (isSlow) await session.send('Network.emulateNetworkConditions', slowLine)
  let [bytes, requests] = [0, 0]
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    requests += 1
  })
  await page.goto(`${url}/app`)
  await settled(page)
  const paintMs = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime)
  await page.close()
  return { bytes, requests, paintMs }
}

/** Stores copies of one successful execution, which make the table long. */
async function fill(world: Environment): Promise<void> {
  const user = world.newUserId('bench')
  const { depositAddress } = await world.intend(user, { to: 'arbitrum', receive: 'USDC' })
  await world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  await world.ended(user, 1)
  const model = executionModel(world.connection)
  const { _id, keys, ...one } = (await model.findOne({ userId: user }).lean())!
  const { routeId: _, quotaKey: __, ...facts } = one.facts
  for (let n = 0; n < executionsMany; n += batch) {
    const copies = Array.from({ length: Math.min(batch, executionsMany - n) }, (_each, k) => ({
      ...one,
      _id: `${_id}:${n + k}`,
      userId: `bench-${(n + k) % 997}`,
      facts,
      createdAt: one.createdAt! - (n + k) * 60,
      keys: { ...keys, hashes: [] },
    }))
    await model.collection.insertMany(copies as never, { ordered: false, writeConcern: { w: 1 } })
  }
}

async function timed(page: Page, act: () => Promise<void>, text: string): Promise<number> {
  const startedAt = performance.now()
  await act()
  await page.getByText(text).first().waitFor()
  return performance.now() - startedAt
}

/** The time from a click to the next paint, as the browser reports it. It reports nothing below 16 ms. */
function noteInteractions(): void {
  const painted: number[] = []
  Object.assign(globalThis, { painted })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'click') painted.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
}

/** Sends a thousand updates a second for five seconds, as another tab would, and measures late frames and memory. */
async function flood(page: Page): Promise<string[]> {
  const seen = await page.evaluate(async () => {
    const memory = () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize
    const id = (await (await fetch('/app/api/me')).json()).organizations[0].id as string
    const channel = new BroadcastChannel(`switchyard live ${id}`)
    const rows = [...document.querySelectorAll('tbody .rowlink')].map((link) => (link as HTMLElement).title)
    const before = memory()
    let [late, frames, last, seq] = [0, 0, performance.now(), 1_000]
    const until = last + 5_000
    const timer = setInterval(() => {
      const events = Array.from({ length: 100 }, (_, n) => ({
        id: `evt_${++seq}`,
        type: 'execution.running',
        timestamp: new Date().toISOString(),
        seq,
        data: { id: rows[n % rows.length], seq, status: seq % 2 ? 'RUNNING' : 'PENDING' },
      }))
      channel.postMessage({ kind: 'events', events })
    }, 100)
    await new Promise<void>((resolve) => {
      const frame = (at: number) => {
        frames += 1
        if (at - last > 50) late += 1
        last = at
        if (at < until) requestAnimationFrame(frame)
        else resolve()
      }
      requestAnimationFrame(frame)
    })
    clearInterval(timer)
    return { late, frames, grownBytes: memory() - before }
  })
  const grown = kib(seen.grownBytes)
  return [
    `dashboard: 1,000 updates a second for 5 s: ${seen.late} of ${seen.frames} frames over 50 ms, heap ${grown} larger`,
  ]
}
