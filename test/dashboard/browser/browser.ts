import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { withLock } from '../../../src/devnet/servers/cache-folder'
import { runProgram } from '../../../src/devnet/servers/run-program'

/** The tests save a picture of each page in this folder. */
export const picturesIn = join(import.meta.dir, '..', '..', '..', 'test-results', 'screens')
mkdirSync(picturesIn, { recursive: true })
/** Whether pictures of correct pages are kept too. A run of all tests keeps only faults. */
export const keepsPictures = process.env['TEST_PICTURES'] !== 'OF_FAULTS'

/** The headless shell draws the same pages with less processor time, so it comes first. */
const usual = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const find = () => usual.find((path) => path && existsSync(path)) ?? null
const apt = ['apt-get', '-qq', '-y', '-o', 'DPkg::Lock::Timeout=240'] as const
const installing = { timeoutMs: 240_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }

/**
 * Finds the system's browser. As root, installs one with apt if there is none: one process does, the others wait for
 * it. Null if none is available.
 */
export async function findChromium(): Promise<string | null> {
  if (find() || process.getuid?.() !== 0 || !Bun.which('apt-get')) return find()
  return withLock('chromium', async () => {
    if (find()) return find()
    console.error('no browser: installing Debian’s headless Chromium, about a minute')
    const install = (name: string) => runProgram([...apt, 'install', '--no-install-recommends', name], installing)
    try {
      await runProgram([...apt, 'update'], installing)
      await install('chromium-headless-shell').catch(() => install('chromium'))
    } catch (error) {
      console.error(`No browser could be installed: ${error}`)
    }
    return find()
  })
}

const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** Timeout on a busy machine, which is late but not wrong. */
export const patienceMs = 5 * 60_000

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: quiet, timeout: patienceMs })

export type Visit = { context: BrowserContext; page: Page; complaints: string[]; outside: string[] }

/**
 * Opens a separate browser context. It records errors of the page and requests to other hosts.
 *
 * @param path first page, by default the sign-in page.
 */
export async function visit(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
  path = '/app',
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  const outside: string[] = []
  const isMeant = (text: string) =>
    /status of 4(01|03|04|09|10|22|29)|ERR_CONNECTION|ERR_INCOMPLETE|net::ERR/.test(text)
  // Listeners on the context cover each of its pages.
  context.on('weberror', (error) => complaints.push(error.error().message))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isMeant(message.text())) complaints.push(message.text())
  })
  context.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) outside.push(asked)
  })
  const page = await context.newPage()
  await page.goto(`${url}${path}`)
  return { context, page, complaints, outside }
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/\/app\/[a-z0-9-]+/)
  await page.locator('main#main h1').waitFor()
}

/** Navigates as a link would, without loading the document again. */
export async function turnTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await settled(page)
}

/** Counts a person’s clicks, and presses of Enter or Space on a button, also after the page is loaded again. */
export async function clicksFromNow(page: Page): Promise<() => number> {
  let clicks = 0
  await page.exposeFunction('countClick', () => {
    clicks += 1
  })
  const listen = () =>
    addEventListener(
      'click',
      ({ isTrusted }) => {
        if (isTrusted) (globalThis as unknown as { countClick(): void }).countClick()
      },
      true,
    )
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return () => clicks
}

/** Saves a picture of the screen or of the whole page. Weak compression makes this faster. */
export async function keepPicture(page: Page, title: string, isWhole: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { cssContentSize: whole, cssLayoutViewport: screen } = await session.send('Page.getLayoutMetrics')
  const isLonger = isWhole && (whole.height > screen.clientHeight || whole.width > screen.clientWidth)
  const { data } = await session.send('Page.captureScreenshot', {
    optimizeForSpeed: true,
    ...(isLonger && { captureBeyondViewport: true, clip: { ...whole, scale: 1 } }),
  })
  await session.detach()
  await Bun.write(join(picturesIn, `${title}.png`), Buffer.from(data, 'base64'))
}

const openMs = 10_000
const shownMax = 1_500

/** What a wait can be for that the text of a page does not show. */
export const stateOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const tag = (element: Element | null) => (element?.cloneNode(false) as Element | undefined)?.outerHTML
    const fields = [...document.querySelectorAll('input:not([type=password]), select, textarea')]
    const disabled = [...document.querySelectorAll('button:disabled')]
    const animations = document.getAnimations().filter(({ playState }) => playState === 'running')
    return [
      `focus: ${tag(document.activeElement)}`,
      `document: ${tag(document.documentElement)}`,
      `fields: ${fields.map((each) => `${each.ariaLabel ?? each.id}=${(each as HTMLInputElement).value}`).join(', ')}`,
      `disabled: ${disabled.map(({ textContent }) => textContent).join(', ')}`,
      `running animations: ${animations.length}`,
    ].join('\n')
  })

/**
 * Shows the pages that are still open, and closes them. Passed tests have closed theirs, so an open page shows the state
 * at which a wait of a test failed. Each test with a browser ends so.
 */
export async function reportOpen(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) {
    for (const [n, page] of context.pages().entries()) {
      const text = await page.locator('body').innerText({ timeout: openMs }).catch(String)
      console.error(`Still open: ${page.url()}\n${text.replaceAll(/\s+/g, ' ').slice(0, shownMax)}`)
      console.error(await Promise.race([stateOf(page).catch(String), Bun.sleep(openMs).then(() => 'no response')]))
      await keepPicture(page, `still-open-${Date.now()}-${n}`, false).catch(() => {})
    }
    await context.close()
  }
}

/** Saves a picture of a correct screen. */
export async function keepScreen(page: Page, title: string): Promise<void> {
  if (keepsPictures) await keepPicture(page, title, false)
}

/** Waits until the page has its heading, and no placeholders or closing dialogs. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => {
    const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
    return !root.querySelector('.bone, .mantine-Loader-root')
  })
}
