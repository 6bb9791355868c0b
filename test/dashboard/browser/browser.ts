import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** The tests leave a picture of each page in this folder. */
export const picturesIn = join(import.meta.dir, '..', '..', '..', 'test-results', 'screens')
mkdirSync(picturesIn, { recursive: true })
/** Whether a picture is kept of what is in order, too. In a run of all tests nobody would look at those. */
export const keepsPictures = process.env['TEST_PICTURES'] !== 'OF_FAULTS'

/** The headless shell draws the same pages with less of the processor, so it comes first. */
const usual = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * Finds the system's browser. As root, one is installed with apt where there is none. Null if there is none to be had.
 */
export function findChromium(): string | null {
  const find = () => usual.find((path) => path && existsSync(path)) ?? null
  const found = find()
  if (found || process.getuid?.() !== 0 || !Bun.which('apt-get')) return found
  console.error('no browser: installing Debian’s headless Chromium, about a minute')
  const run = (...args: string[]) =>
    Bun.spawnSync(['apt-get', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 240_000,
    })
  const install = (name: string) => run('install', '-y', '-qq', '--no-install-recommends', name).success
  const isDone = run('update', '-qq').success && (install('chromium-headless-shell') || install('chromium'))
  return isDone ? find() : null
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
/** How long something may take on a busy machine, where it is late but not wrong. */
export const patienceMs = 5 * 60_000

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: quiet, timeout: patienceMs })

export type Visit = { context: BrowserContext; page: Page; complaints: string[]; outside: string[] }

/**
 * Opens a browser context of its own. It notes errors of the page and requests to other hosts.
 *
 * @param path where to begin, the page for signing in by default.
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
  // These listen to the context, so that each of its pages is heard.
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

/** Goes to another page as a link would, without loading the document again. */
export async function turnTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await settled(page)
}

/** Keeps a picture of the screen, or of the whole page, compressed less than it could be: that is quicker. */
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

/** Keeps a picture of the screen for whoever looks at what is in order, too. */
export async function keepScreen(page: Page, title: string): Promise<void> {
  if (keepsPictures) await keepPicture(page, title, false)
}

/** Waits until the page has its heading and shows no placeholders any more, nor the last dialog that covers it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => {
    const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
    return !root.querySelector('.bone, .mantine-Loader-root')
  })
}
