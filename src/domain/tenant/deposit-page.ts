/** How the hosted page for deposits looks for an organization that has switched it on. */
export type DepositPage = {
  /** By which the person who pays knows the organization. */
  name: string
  /** `#rrggbb` */
  color: string
  /** When it was last switched on. Links from before do not work any more. */
  since: number
}

/** How long a link works, in minutes. */
export const linkMinutes = { least: 5, usual: 60, most: 24 * 60 } as const

export const colorForm = /^#[0-9a-f]{6}$/
export const usualColor = '#3b5bdb'

/** The share of a colour's channel in its brightness (WCAG 2.2). */
const shares = [0.2126, 0.7152, 0.0722]

function brightnessOf(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  const linear = channels.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
  return linear.reduce((sum, one, n) => sum + one * shares[n]!, 0)
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [darker, lighter] = [brightnessOf(one), brightnessOf(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Black or white, whichever can be read better on a colour: the contrast is 4.58 at least. */
export const inkOn = (color: string): '#000000' | '#ffffff' =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'
