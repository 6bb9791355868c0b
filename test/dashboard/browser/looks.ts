import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { isNightly, sample } from '../../support/depth'
import { keepPicture, keepsPictures, settled } from './browser'

const axe = readFileSync(join(import.meta.dir, '..', '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** Leaves out what no rule here needs: descriptions of what passes, and reading the style sheets again. */
const leastWork = { resultTypes: ['violations'], selectors: false, preload: false }

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] }

async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  const found = await page.evaluate(
    async ([only, least]) => {
      const { axe } = globalThis as unknown as { axe: { run(node: Node, options: object): Promise<AxeResult> } }
      // Everything under a dialog is inert; it is looked at when no dialog covers it.
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

/** No part of a table may lie outside its place on these screens, since people would not know that it is there. */
const laptop = { width: 1280, height: 800 }
export const wide = { width: 1440, height: 900 }
const sizes = [wide, { width: 1024, height: 768 }, { width: 769, height: 1024 }, { width: 390, height: 844 }] as const
const phoneWidth = 390
const schemes = ['light', 'dark'] as const

type Look = { width: number; scheme: (typeof schemes)[number] }
/** The rules that axe checks in a look: null for all of them, undefined for none. */
type ExpectedChanges = (look: Look) => readonly string[] | null | undefined

/** The schemes differ in their colours only, so all rules are checked once per width, and contrast in both schemes. */
const everywhere: ExpectedChanges = ({ width, scheme }) => {
  const isLightFirst = width === 1440 || width === 769
  if (isLightFirst === (scheme === 'light')) return null
  return width === 1440 ? ['color-contrast'] : undefined
}
/** A wide light screen and a dark phone: both schemes and both layouts once. */
const twice: ExpectedChanges = ({ width, scheme }) =>
  (width === 1440 && scheme === 'light') || (width === phoneWidth && scheme === 'dark') ? null : undefined

/** At night a page is looked at in every way, otherwise in one that its title chooses: each way has its pages. */
const waysTaken = sample(
  sizes.flatMap(({ width }) => schemes.map((scheme) => `${width} ${scheme}`)),
  1,
).length
const chosen = <Way>(title: string, ways: readonly Way[]): readonly Way[] =>
  waysTaken > 1 ? ways : [ways[Bun.hash.crc32(title) % ways.length]!]

/** The checker costs more than all else in a look, so only one dialog or state of these many meets it but at night. */
const oneCheckedOf = 3
const isChecked = (title: string, asked: ExpectedChanges): boolean =>
  isNightly || asked !== twice || Bun.hash.crc32(`checked ${title}`) % oneCheckedOf === 0

/** The looks that this run takes, of which those of one width follow each other. */
function looksAt(title: string, asked: ExpectedChanges) {
  const all = sizes.flatMap((size) =>
    schemes.map((scheme) => ({ size, scheme, rules: asked({ width: size.width, scheme }) })),
  )
  if (isNightly) return all
  const whole = all.filter(({ rules }) => rules === null)
  return chosen(title, whole).map((way) => (isChecked(title, asked) ? way : { ...way, rules: undefined }))
}

export const lookTwice = (page: Page, title: string): Promise<Record<string, string[]>> => look(page, title, twice)

/** What lies outside the screen, is cut off, or is too small to be read at this width. */
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
    // An amount that is cut off reads as another amount.
    const cutAmounts = [...document.querySelectorAll<HTMLElement>('td.num')].flatMap((cell) => {
      const isCut = cell.checkVisibility() && cell.scrollWidth - cell.clientWidth > 1
      return isCut ? [`an amount that is cut off: ${cell.textContent}`] : []
    })
    const squeezed = [...document.querySelectorAll<HTMLElement>('td')].flatMap((cell) => {
      const isShown = cell.checkVisibility() && cell.textContent.trim() !== ''
      const { width } = cell.getBoundingClientRect()
      return isShown && width < 12 ? [`a cell of ${width.toFixed(0)} px: ${cell.textContent.slice(0, 40)}`] : []
    })
    // A status that is wider than its cell lies over the time beside it.
    const over = [...document.querySelectorAll<HTMLElement>('.latest td:not(:first-child)')].flatMap((cell) => {
      const isOver = cell.checkVisibility() && cell.scrollWidth - cell.clientWidth > 1
      return isOver ? [`a cell that lies over the next: ${cell.textContent}`] : []
    })
    const maps = [...document.querySelectorAll('.map-scroll')].flatMap((map) =>
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
      ...maps,
    ]
  })

/** By then, components that measure themselves have rendered again. */
const twoFrames = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))

/**
 * Looks at the screen and returns what is wrong: at night in both schemes and at five widths, otherwise in one way, and
 * with the checker if it is a page's turn. Each width is measured once, as the schemes differ in their colours only. It
 * leaves a picture of each look, or only of those in which something is wrong.
 */
export async function look(
  page: Page,
  title: string,
  asked: ExpectedChanges = everywhere,
): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {}
  await page.mouse.move(0, 0)
  await settled(page)
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  // Elements with a fixed position would be in the middle of the picture of a scrolled page.
  await page.evaluate(() => scrollTo(0, 0))
  // The script has half a megabyte, and a page keeps it until it is loaded again.
  const needsAxe = isChecked(title, asked) && !(await page.evaluate(() => 'axe' in globalThis))
  if (needsAxe) await page.evaluate(axe)
  // A picture with a dialog ends where the screen ends.
  const isWhole = (await page.getByRole('dialog').count()) === 0
  const note = (where: string, found: readonly string[]) => {
    if (found.length > 0) faults[`${title}, ${where}`] = [...(faults[`${title}, ${where}`] ?? []), ...found]
  }
  let shown: Look['scheme'] | null = null
  const shows = async (scheme: Look['scheme']) => {
    if (shown === scheme) return
    await page.emulateMedia({ colorScheme: scheme })
    await page.waitForFunction((now) => document.documentElement.dataset['mantineColorScheme'] === now, scheme)
    shown = scheme
  }
  let measured: { width: number; isAmiss: boolean } | null = null
  const measures = async (size: (typeof sizes)[number] | typeof laptop) => {
    if (measured?.width === size.width) return measured
    await page.setViewportSize(size)
    await page.evaluate(twoFrames)
    const outOfPlace = await misplaced(page)
    note(`${size.width}`, outOfPlace)
    measured = { width: size.width, isAmiss: outOfPlace.length > 0 }
    return measured
  }
  for (const { size, scheme, rules } of looksAt(title, asked)) {
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
  if (isNightly) await measures(laptop)
  await page.setViewportSize(wide)
  return faults
}

/** Looks at a page that is not the dashboard's and follows the system's colours: on a phone and on a wide screen. */
export async function lookAtPlain(page: Page, title: string): Promise<Record<string, string[]>> {
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
