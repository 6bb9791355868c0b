import { join } from 'node:path'
import subsetFont from 'subset-font'

const source = join(import.meta.dir, '..', '..', 'node_modules', 'inter-ui', 'variable', 'InterVariable.woff2')
/** The font file of the pages: 30,656 bytes. */
export const servedFont = join(import.meta.dir, '..', '..', 'src', 'dashboard', 'styles', 'inter.woff2')

const between = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)).join('')

/** Basic Latin, Latin-1 and Latin Extended-A, the Romanian letters beyond it, and the signs that the pages use. */
export const letters = `${between(0x20, 0x7e)}${between(0xa0, 0x17f)}ȘșȚțẞ–—‘’“”„…•‹›€™−×←→↑↓↗⌘`

/** Text sizes, weights 400 to 700, and no more alternates than the pages switch on. */
const part = {
  targetFormat: 'woff2' as const,
  variationAxes: { opsz: 14, wght: { min: 400, max: 700 } },
  keepFeatures: ['kern', 'tnum', 'calt', 'ccmp', 'locl', 'mark', 'mkmk'],
  noHinting: true,
}

/** Extracts the characters that the pages need from Inter's package. */
export const makeInter = async (): Promise<Uint8Array> =>
  subsetFont(Buffer.from(await Bun.file(source).arrayBuffer()), letters, part)

if (import.meta.main) await Bun.write(servedFont, await makeInter())
