import { readFileSync } from 'node:fs'

const ticksPerSecond = 100
const shownMost = 10
/** A slower file would run on alone at the end of a run; split it. */
const secondsMax = 60

/** Processor time of this process and of its ended children, in seconds. Null without `/proc`. */
export function processorSeconds(): number | null {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
  } catch {
    return null
  }
}

/**
 * Reports the cost of a run and its most expensive files, from lines with seconds and a path. A browser does not wait
 * for its processes, so the kernel counts them nowhere.
 */
export function costReport(lines: string, wholeSeconds: number, wallSeconds: number): string[] {
  const costs = lines.split('\n').flatMap((line) => {
    const [, seconds, path] = /^([\d.]+) (.+)$/.exec(line) ?? []
    return path ? [{ seconds: Number(seconds), path }] : []
  })
  const dearest = costs.toSorted((one, other) => other.seconds - one.seconds).slice(0, shownMost)
  return [
    `${Math.round(wholeSeconds)} s of processor in ${Math.round(wallSeconds)} s, without browsers; the costliest:`,
    ...dearest.map(
      ({ seconds, path }) =>
        `${seconds.toFixed(1).padStart(7)} s  ${path}${seconds > secondsMax ? `, above ${secondsMax} s: split it` : ''}`,
    ),
  ]
}
