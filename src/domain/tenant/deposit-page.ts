/** Appearance of an organization's hosted deposit page, once it is enabled. */
export type DepositPage = {
  /** Name under which the payer knows the organization. */
  name: string
  /** `#rrggbb` */
  color: string
  /** PNG as a `data:` URL; null or absent without a logo. */
  logo?: string | null
  /** When the page was last enabled. Earlier links no longer work. */
  since: number
}

/** Lifetime of a link, in minutes. */
export const linkMinutes = { least: 5, usual: 60, most: 24 * 60 } as const

/**
 * A PNG as a `data:` URL. A picture in another form could hold scripts. Every request of the organization reads its
 * record, so the picture is small.
 */
export const logoForm = /^data:image\/png;base64,iVBORw0KGgo[A-Za-z0-9+/]{1,12000}={0,2}$/
export const logoCharsMax = 12_000

export const colorForm = /^#[0-9a-f]{6}$/
export const usualColor = '#3b5bdb'

/** Weight of each colour channel in the brightness (WCAG 2.2). */
const shares = [0.2126, 0.7152, 0.0722]

function brightnessOf(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  const linear = channels.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
  return linear.reduce((sum, one, n) => sum + one * shares[n]!, 0)
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [darker, lighter] = [brightnessOf(one), brightnessOf(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Returns the more legible of black and white on a colour. The contrast is at least 4.58. */
export const inkOn = (color: string): '#000000' | '#ffffff' =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'
