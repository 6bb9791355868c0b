import { dirname } from 'node:path'

const namedMost = 10

/**
 * Reports what a normal run leaves to the nightly run, from the lines that `test/support/depth.ts` writes. A file is
 * listed once per sample or test.
 */
export function leftOutReport(notes: string): string[] {
  const left = [...new Set(notes.split('\n').filter((line) => line !== ''))]
  if (left.length === 0) return []
  return [`${left.length} parts ran as a sample or are left to \`npm test -- --nightly\`:`, ...left.map(indented)]
}

/**
 * Reports the files that `--changed` did not run.
 *
 * @param starters The files that start the changed service as a process, and so import none of its code.
 */
export function unreachedReport(
  all: readonly string[],
  ran: ReadonlySet<string>,
  starters: readonly string[],
): string[] {
  const unreached = all.filter((path) => !ran.has(path)).toSorted()
  if (unreached.length === 0) return []
  const folders = [...Map.groupBy(unreached, folderOf)].toSorted(([, one], [, other]) => other.length - one.length)
  const unstarted = starters.filter((path) => !ran.has(path))
  return [
    `${ran.size} of ${all.length} files ran. The source of the others neither imports nor names what changed:`,
    ...folders.map(([folder, files]) => indented(`${files.length} in ${folder}`)),
    ...(unstarted.length === 0
      ? []
      : [`${unstarted.length} of them start the service as a process, which loads what changed. This runs them too:`]),
    ...(unstarted.length === 0 ? [] : [indented(`npm test -- ${shortest(unstarted, all).join(' ')}`)]),
  ]
}

/** Names files for `npm test`: a folder instead of all of its files. */
function shortest(files: readonly string[], all: readonly string[]): string[] {
  const named = new Set(files)
  const isWhole = (folder: string) => all.every((path) => !path.startsWith(`${folder}/`) || named.has(path))
  return [...new Set(files.map((path) => (isWhole(dirname(path)) ? dirname(path) : path)))].toSorted()
}

/**
 * Reports a run that was stopped because it printed nothing for `silentMs`. An endless file is among those that have
 * not ended.
 *
 * @param costs What `test/support/note-cost.ts` wrote: a line for each file that has ended.
 */
export function silentReport(
  all: readonly string[],
  named: readonly string[],
  costs: string,
  silentMs: number,
): string[] {
  const wanted = all.filter((path) => named.length === 0 || named.some((name) => path.includes(name)))
  const unended = unendedOf(wanted, costs)
  return [
    `Stopped: no output for ${silentMs / 60_000} minutes. A test that computes without a pause meets no time limit.`,
    `${wanted.length - unended.length} of ${wanted.length} files had ended. The others:`,
    ...unended.slice(0, namedMost).map(indented),
    ...(unended.length > namedMost ? [indented(`and ${unended.length - namedMost} further files`)] : []),
  ]
}

/** Returns the files that have not ended. A test that ends its process, for example, hides all of its file. */
export function unendedOf(wanted: readonly string[], costs: string): string[] {
  const ended = new Set(costs.split('\n').map((line) => line.replace(/^[\d.]+ /, '')))
  return wanted.filter((path) => !ended.has(path)).toSorted()
}

/** Returns the files that declared no test and left none to the night, so they prove nothing. */
export function emptyOf(wanted: readonly string[], declared: ReadonlySet<string>, leftOut: string): string[] {
  return wanted.filter((path) => !declared.has(path) && !leftOut.includes(path)).toSorted()
}

const indented = (line: string) => `  ${line}`
const folderOf = (path: string) => path.split('/').slice(0, 2).join('/')
