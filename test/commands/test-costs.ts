import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

const ticksPerSecond = 100
const shownMost = 10
/** A slower file would run on alone at the end of a run. */
const secondsMax = 60
/** A busy or slow machine takes longer for every file, so a file fails only if its share is large too. */
const shareMax = 1 / 20

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
  return [
    `${Math.round(wholeSeconds)} s of processor in ${Math.round(wallSeconds)} s, without browsers; the costliest:`,
    ...byCost(lines)
      .slice(0, shownMost)
      .map(
        ({ seconds, path }) =>
          `${seconds.toFixed(1).padStart(7)} s  ${path}${seconds > secondsMax ? `, above ${secondsMax} s: split it` : ''}`,
      ),
  ]
}

/** Returns the files that fail a whole run by their cost, each with its reason. */
export function tooCostly(lines: string, wholeSeconds: number): string[] {
  return byCost(lines)
    .filter(({ seconds }) => seconds > secondsMax && seconds > wholeSeconds * shareMax)
    .map(
      ({ seconds, path }) =>
        `${path}, with ${Math.round(seconds)} s of processor, above ${secondsMax} s and a twentieth of the run`,
    )
}

/**
 * Returns stored times of exactly these files. A file that was never measured gets the median of its folder, or of all.
 */
export function timingsOf(stored: string, all: readonly string[]): string {
  const { version, files } = JSON.parse(stored) as { version: number; files: Record<string, number> }
  const present = Object.entries(files).filter(([path]) => all.includes(path))
  const near = (folder: string) => present.filter(([path]) => dirname(path) === folder)
  const estimate = (path: string) => median(near(dirname(path))) ?? median(present) ?? 0
  const added = all.filter((path) => files[path] === undefined).map((path) => [path, estimate(path)] as const)
  const sorted = [...present, ...added].toSorted(([, one], [, other]) => other - one)
  return `${JSON.stringify({ version, files: Object.fromEntries(sorted) }, null, 2)}\n`
}

function median(timed: readonly (readonly [string, number])[]): number | undefined {
  return timed.map(([, ms]) => ms).toSorted((one, other) => one - other)[Math.floor(timed.length / 2)]
}

function byCost(lines: string): { seconds: number; path: string }[] {
  const costs = lines.split('\n').flatMap((line) => {
    const [, seconds, path] = /^([\d.]+) (.+)$/.exec(line) ?? []
    return path ? [{ seconds: Number(seconds), path }] : []
  })
  return costs.toSorted((one, other) => other.seconds - one.seconds)
}
