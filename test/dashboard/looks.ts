import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { picturesIn, settled } from './browser'

const axe = readFileSync(join(import.meta.dir, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** What passes is not described, and no style sheet is read twice: no rule that counts needs it. */
const leastWork = { resultTypes: ['violations'], selectors: false, preload: false }

type Found = { violations: { id: string; nodes: { html: string }[] }[] }

async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  const found = await page.evaluate(
    async ([only, least]) => {
      const { axe } = globalThis as unknown as { axe: { run(node: Node, options: object): Promise<Found> } }
      // What lies under a dialog is inert, and looked at where nothing lies on it.
      const root = document.querySelector('[role=dialog]') ?? document
      const { violations } = await axe.run(root, { ...least, ...(only && { runOnly: only }) })
      return violations
    },
    [rules, leastWork] as const,
  )
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html.slice(0, 160))
        .slice(0, 3)
        .join(' | ')}`,
  )
}

/** The narrowest screen on which nothing is folded away or scrolled. */
const laptop = { width: 1280, height: 800 }
export const [wide, phone] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
/** The colours are all that differs between the schemes: all rules are asked once per width, of contrast in each. */
const looks = [
  { look: 'light', colorScheme: 'light', size: wide, rules: null },
  { look: 'dark', colorScheme: 'dark', size: wide, rules: ['color-contrast'] },
  { look: 'phone-dark', colorScheme: 'dark', size: phone, rules: null },
  { look: 'phone-light', colorScheme: 'light', size: phone, rules: [] },
] as const

/** A wide light one and a dark phone: each colour and each width once. */
export const lookTwice = (page: Page, title: string): Promise<Record<string, string[]>> =>
  look(page, title, [looks[0], looks[2]])

/** A dialog covers most of a phone: both colours of it as well. */
export const lookAtDialog = (page: Page, title: string): Promise<Record<string, string[]>> =>
  look(page, title, [looks[0], looks[2], looks[3]])

type Look = (typeof looks)[number]

/** A table can be scrolled in its place, but who sees its last column cut off on a laptop does not know. */
async function cutTables(page: Page): Promise<string[]> {
  await page.setViewportSize(laptop)
  return page.evaluate(() =>
    [...document.querySelectorAll('.table-box')].flatMap((box) => {
      const beyond = box.scrollWidth - box.clientWidth
      return beyond > 1 ? [`${beyond} px of a table beside its place: ${box.textContent?.slice(0, 80)}`] : []
    }),
  )
}

/** Looks at what is on screen in both schemes and both widths, leaves pictures, and says what is wrong with it. */
export async function look(
  page: Page,
  title: string,
  wanted: readonly Look[] = looks,
): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {}
  await page.mouse.move(0, 0)
  await settled(page)
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  // Half a megabyte of text, which a page keeps until it is loaded anew.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  for (const { look, colorScheme, size, rules } of wanted) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    await page.waitForFunction(
      (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
      colorScheme,
    )
    const found = rules?.length === 0 ? [] : await violations(page, rules)
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (beyond > 1) found.push(`${beyond} px beside the screen`)
    if (look === 'light') found.push(...(await cutTables(page)))
    if (found.length > 0) faults[`${title}, ${look}`] = found
    await page.setViewportSize(size)
    // What lies under a dialog ends where the screen does.
    const fullPage = (await page.getByRole('dialog').count()) === 0
    await page.screenshot({ path: join(picturesIn, `${title}-${look}.png`), fullPage })
  }
  await page.setViewportSize(wide)
  return faults
}
