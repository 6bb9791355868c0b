import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { isNightly, sample } from '../../support/depth'
import { keepPicture, keepsPictures, settled } from './browser'

/** The checker’s script for the page. */
export const axe = readFileSync(
  join(import.meta.dir, '..', '..', '..', 'node_modules', 'axe-core', 'axe.min.js'),
  'utf8',
)

/** Leaves out results that no rule here needs: passed checks, and reading the style sheets again. */
const leastWork = { resultTypes: ['violations'], selectors: false, preload: false }

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] }

async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  const found = await page.evaluate(
    async ([only, least]) => {
      const { axe } = globalThis as unknown as { axe: { run(node: Node, options: object): Promise<AxeResult> } }
      // Everything under a dialog is inert. It is checked without a dialog.
      const root = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document
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

export const wide = { width: 1440, height: 900 }
const sizes = [
  wide,
  { width: 1920, height: 1080 },
  { width: 1280, height: 800 },
  { width: 1024, height: 768 },
  { width: 769, height: 1024 },
  { width: 390, height: 844 },
  { width: 320, height: 568 },
] as const
const phoneWidth = 390
/** A laptop at 400 % zoom. */
export const zoomed = { width: 320, height: 256 } as const
const schemes = ['light', 'dark'] as const

type View = { width: number; scheme: (typeof schemes)[number] }
/** The axe rules for a check: null for all, undefined for none. */
type ExpectedChanges = (view: View) => readonly string[] | null | undefined

/** The schemes differ only in colours, so all rules are checked once per width, and contrast in both schemes. */
const everywhere: ExpectedChanges = ({ width, scheme }) => {
  const isLightFirst = [1440, 1280, 769, 320].includes(width)
  if (isLightFirst === (scheme === 'light')) return null
  return width === 1440 ? ['color-contrast'] : undefined
}
/** A wide light screen and a dark phone: both schemes and both layouts once. */
const twice: ExpectedChanges = ({ width, scheme }) =>
  (width === 1440 && scheme === 'light') || (width === phoneWidth && scheme === 'dark') ? null : undefined

/** At night a page is checked in every way, otherwise in one way chosen by its title. Each way has its pages. */
const waysTaken = sample(
  'widths and schemes of a page',
  sizes.flatMap(({ width }) => schemes.map((scheme) => `${width} ${scheme}`)),
  1,
).length
const chosen = <Way>(title: string, ways: readonly Way[]): readonly Way[] =>
  waysTaken > 1 ? ways : [ways[Bun.hash.crc32(title) % ways.length]!]

/** The checker costs more than the rest, so in the normal run only one of these many dialogs or states gets it. */
const oneCheckedOf = 3
const isChecked = (title: string, asked: ExpectedChanges): boolean =>
  isNightly || asked !== twice || Bun.hash.crc32(`checked ${title}`) % oneCheckedOf === 0

/** The checks of this run. Those of one width follow each other. */
function checksOf(title: string, asked: ExpectedChanges) {
  const all = sizes.flatMap((size) =>
    schemes.map((scheme) => ({ size, scheme, rules: asked({ width: size.width, scheme }) })),
  )
  if (isNightly) return all
  const whole = all.filter(({ rules }) => rules === null)
  return chosen(title, whole).map((way) => (isChecked(title, asked) ? way : { ...way, rules: undefined }))
}

export const checkPageTwice = (page: Page, title: string): Promise<Record<string, string[]>> =>
  checkPage(page, title, twice)

/** Elements outside the screen, cut off, or too small to read at this width. */
const misplaced = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const beside = document.documentElement.scrollWidth - innerWidth
    // On a phone a wide table may be scrolled.
    const boxes = innerWidth > 720 ? [...document.querySelectorAll('.table-box')] : []
    const cut = boxes.flatMap((box) => {
      const beyond = box.scrollWidth - box.clientWidth
      return beyond > 1 ? [`${beyond} px of a table beside its place: ${box.textContent?.slice(0, 80)}`] : []
    })
    const small = [...document.querySelectorAll<SVGGraphicsElement>('.map text, .map tspan')].flatMap((text) => {
      const scale = text.ownerSVGElement!.getScreenCTM()!.a
      const size = Number.parseFloat(getComputedStyle(text).fontSize) * scale
      return size < 11.99 ? [`${size.toFixed(1)} px on the map: ${text.textContent}`] : []
    })
    const tiny = [...document.querySelectorAll<SVGGraphicsElement>('.plot text')].flatMap((text) => {
      const size = Number.parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM()!.a
      return size < 11.99 ? [`${size.toFixed(1)} px on a plot: ${text.textContent}`] : []
    })
    // A truncated amount reads as a different amount.
    const cutAmounts = [...document.querySelectorAll<HTMLElement>('td.num')].flatMap((cell) => {
      const isCut = cell.checkVisibility() && cell.scrollWidth - cell.clientWidth > 1
      return isCut ? [`an amount that is cut off: ${cell.textContent}`] : []
    })
    const squeezed = [...document.querySelectorAll<HTMLElement>('td')].flatMap((cell) => {
      const isShown = cell.checkVisibility() && cell.textContent.trim() !== ''
      const { width } = cell.getBoundingClientRect()
      return isShown && width < 12 ? [`a cell of ${width.toFixed(0)} px: ${cell.textContent.slice(0, 40)}`] : []
    })
    // A status wider than its cell covers the time next to it.
    const over = [...document.querySelectorAll<HTMLElement>('.latest td:not(:first-child)')].flatMap((cell) => {
      const isOver = cell.checkVisibility() && cell.scrollWidth - cell.clientWidth > 1
      return isOver ? [`a cell that lies over the next: ${cell.textContent}`] : []
    })
    // The organization decides what every page is about. Only a long name may be cut.
    const names = [...document.querySelectorAll<HTMLElement>('.org-button .name')].flatMap((name) => {
      const isCut = name.textContent.length <= 8 && name.scrollWidth > name.clientWidth
      return isCut ? [`an organization's name that is cut off: ${name.textContent}`] : []
    })
    // A diagram needs two dimensions, so on the narrowest screens it is scrolled (WCAG 1.4.10).
    const wholeMaps = innerWidth < 390 ? [] : [...document.querySelectorAll('.map-scroll')]
    const maps = wholeMaps.flatMap((map) =>
      map.scrollWidth - map.clientWidth > 1 ? [`${map.scrollWidth - map.clientWidth} px of the map cut off`] : [],
    )
    return [
      ...(beside > 1 ? [`${beside} px beside the screen`] : []),
      ...cut,
      ...squeezed.slice(0, 3),
      ...small.slice(0, 3),
      ...tiny.slice(0, 3),
      ...cutAmounts.slice(0, 3),
      ...over.slice(0, 3),
      ...names,
      ...maps,
    ]
  })

/** Faults of the dialog on a short screen: it fills the screen, and the button that ends it is in sight. */
const outOfSight = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)!
    const { width, height } = dialog.getBoundingClientRect()
    const acts = [...dialog.querySelectorAll('.dialog-acts button')].at(-1)?.getBoundingClientRect()
    const isHidden = acts !== undefined && (acts.top < 0 || acts.bottom > innerHeight)
    const isLonger = dialog.scrollHeight > dialog.clientHeight
    return [
      ...(isLonger && height < innerHeight ? [`a dialog of ${width} x ${height} px on a short screen`] : []),
      ...(isHidden ? ['the button of a dialog is out of sight on a short screen'] : []),
    ]
  })

/** After this, components that measure themselves have rendered again. */
const twoFrames = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))

/**
 * Checks the screen and returns its faults: at night in both schemes and seven widths, otherwise in one way, with the
 * checker if it is the page's turn. Each width is measured once, because the schemes differ only in colours. Saves a
 * picture of each check, or only of those with faults.
 */
export async function checkPage(
  page: Page,
  title: string,
  asked: ExpectedChanges = everywhere,
): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {}
  await page.mouse.move(0, 0)
  await settled(page)
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  // Elements with a fixed position would be in the middle of a scrolled page's picture.
  await page.evaluate(() => scrollTo(0, 0))
  // The script has half a megabyte, and a page keeps it until the next load.
  const needsAxe = isChecked(title, asked) && !(await page.evaluate(() => 'axe' in globalThis))
  if (needsAxe) await page.evaluate(axe)
  // A picture with a dialog ends at the bottom of the screen.
  const isWhole = (await page.getByRole('dialog').count()) === 0
  const note = (where: string, found: readonly string[]) => {
    if (found.length > 0) faults[`${title}, ${where}`] = [...(faults[`${title}, ${where}`] ?? []), ...found]
  }
  let shown: View['scheme'] | null = null
  const shows = async (scheme: View['scheme']) => {
    if (shown === scheme) return
    await page.emulateMedia({ colorScheme: scheme })
    await page.waitForFunction((now) => document.documentElement.dataset['mantineColorScheme'] === now, scheme)
    shown = scheme
  }
  let measured: { width: number; isAmiss: boolean } | null = null
  const measures = async (size: (typeof sizes)[number]) => {
    if (measured?.width === size.width) return measured
    await page.setViewportSize(size)
    await page.evaluate(twoFrames)
    const outOfPlace = await misplaced(page)
    note(`${size.width}`, outOfPlace)
    measured = { width: size.width, isAmiss: outOfPlace.length > 0 }
    return measured
  }
  for (const { size, scheme, rules } of checksOf(title, asked)) {
    const { isAmiss } = await measures(size)
    const isPictured = keepsPictures || isAmiss
    if (rules === undefined && !isPictured) continue
    await shows(scheme)
    const name = `${size.width}-${scheme}`
    const broken = rules === undefined ? [] : await violations(page, rules)
    note(name, broken)
    if (isPictured || broken.length > 0) await keepPicture(page, `${title}-${name}`, isWhole)
  }
  await shows('light')
  if (isNightly && !isWhole) {
    await page.setViewportSize(zoomed)
    await page.evaluate(twoFrames)
    note('at 400 % zoom', [...(await misplaced(page)), ...(await outOfSight(page))])
  }
  await page.setViewportSize(wide)
  return faults
}

/** Returns the checker's findings about the page in its current state: loading or failed. */
export async function violationsNow(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return violations(page, null)
}

/** Checks a page outside the dashboard, which follows the system's colours, on a phone and on a wide screen. */
export async function checkPlainPage(page: Page, title: string): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {}
  await page.evaluate(axe)
  const ways = [phoneWidth, 320, wide.width].flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })))
  for (const { width, colorScheme } of chosen(title, ways)) {
    await page.setViewportSize({ width, height: wide.height })
    await page.emulateMedia({ colorScheme })
    await page.evaluate(twoFrames)
    const name = `${title}-${width}-${colorScheme}`
    const found = [...(await misplaced(page)), ...(await violations(page, null))]
    if (found.length > 0) faults[name] = found
    if (keepsPictures || found.length > 0) await keepPicture(page, name, true)
  }
  return faults
}
