import { percentile } from './rig'

const figure = /\d[\d,]*(?:\.\d+)?/g

/** The figures of a line, under the line without them. Spaces vary with the width of a figure. */
function shapeOf(line: string): { shape: string; figures: number[] } {
  const figures = (line.match(figure) ?? []).map((text) => Number(text.replaceAll(',', '')))
  return { shape: line.replaceAll(figure, '#').replaceAll(/\s+/g, ' ').trim(), figures }
}

const occurrence = / \(occurrence \d+\)$/

/** Every run's figures, by the shape of their line and its occurrence in the run. */
function figuresOf(runs: readonly (readonly string[])[]): Map<string, number[][]> {
  const all = new Map<string, number[][]>()
  for (const run of runs) {
    const times = new Map<string, number>()
    for (const line of run) {
      const { shape, figures } = shapeOf(line)
      const time = (times.get(shape) ?? 0) + 1
      times.set(shape, time)
      const key = `${shape} (occurrence ${time})`
      if (figures.length > 0) all.set(key, [...(all.get(key) ?? []), figures])
    }
  }
  return all
}

const medians = (rows: readonly number[][]): number[] =>
  rows[0]!.map((_, n) =>
    percentile(
      rows.map((row) => row[n]!),
      0.5,
    ),
  )

const rounded = (value: number): string => String(Number(value.toPrecision(4)))

/**
 * Compares the output of two programs that measure the same things, each run several times. Two lines belong together
 * if they are equal except for their figures, so no program has to know of the comparison.
 *
 * @returns for each line that both have: the line with `ours / theirs = ratio` for each figure that differs. Lines that
 * only one of them has are named at the end.
 */
export function comparison(ours: readonly (readonly string[])[], theirs: readonly (readonly string[])[]): string[] {
  const [left, right] = [figuresOf(ours), figuresOf(theirs)]
  const lines = [...left].flatMap(([key, rows]) => {
    const others = right.get(key)
    if (!others) return []
    const [mine, other] = [medians(rows), medians(others)]
    let n = 0
    return `  ${plain(key).replaceAll('#', () => compared(mine[n]!, other[n++]!))}`
  })
  const missing = [...left.keys()].filter((key) => !right.has(key)).map((key) => `  only here: ${plain(key)}`)
  const dropped = [...right.keys()].filter((key) => !left.has(key)).map((key) => `  only there: ${plain(key)}`)
  return [...lines, ...missing, ...dropped]
}

const plain = (key: string): string => key.replace(occurrence, '')

function compared(mine: number, other: number): string {
  if (mine === other) return rounded(mine)
  const ratio = other === 0 ? '?' : (mine / other).toFixed(2)
  return `[${rounded(mine)} / ${rounded(other)} = ${ratio}]`
}
