import { dirname, normalize } from 'node:path'
import { Glob } from 'bun'
import { importsWithin, quotedOrNoted, type SourceFile, withoutTypes } from '../tidy-rules.ts'

/** The program of the service, how it is started, and the folders whose files are programs that a test starts. */
const service = 'src/main.ts'
const starting = /\bexecPath, 'src\/main\.ts'/
const programs = /^(src\/cli|test\/commands)\//
/** These bundle pages, which they find by path. A test that opens a browser sees the pages. */
const bundlers = ['src/http/dashboard/pages/pages.ts', 'src/http/openapi/docs.ts']
const opening = /\bchromium\.launch\(/

type Reads = (path: string) => boolean

/** What the tests of a project read and start without importing it, as their source and their imports name it. */
export type TestReads = {
  /** The tests that read a change, start a program of ours that loads it, or see it in a browser. */
  readersOf(changed: readonly string[]): string[]
  /** The tests that start the service as a process, if a change reaches it. */
  startersOf(changed: readonly string[]): string[]
}

/**
 * @param sources The code, whose imports are followed and whose texts are read.
 * @param paths All files of the project, and removed files.
 */
export function testReads(sources: readonly SourceFile[], paths: readonly string[]): TestReads {
  const imports = importsWithin(withoutTypes(sources))
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const places = placesIn(paths)
  const named = new Map<string, string[]>()
  const namedBy = (path: string): string[] => {
    const own = named.get(path) ?? namesIn({ path, text: texts.get(path) ?? '' }, places)
    named.set(path, own)
    return own
  }
  const imported = (path: string) => [...(imports.get(path) ?? []), ...importedLate(path, texts)]
  const having = (pattern: RegExp) => new Set(sources.flatMap(({ path, text }) => (pattern.test(text) ? path : [])))
  const [starters, openers] = [having(starting), having(opening)]
  const serving = closure([service], imported)
  // A command can start the service, whose files `startersOf` names.
  const isOwn = (path: string) => /^(src|test\/commands)\//.test(path) && !serving.has(path)
  const bundled = bundlers.flatMap(namedBy)
  const pages = closure([...bundled, ...[...texts.keys()].filter(anyOf(bundled))], (path) =>
    imported(path).filter(isOwn),
  )
  const tests = sources.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
  const all = tests.map((test) => {
    const code = closure([test], (path) => imports.get(path) ?? [])
    const names = [...code].flatMap((path) => (isRead(path) ? namedBy(path) : []))
    const started = closure(
      names.filter((path) => programs.test(path)),
      (path) => [...imported(path).filter(isOwn), ...namedBy(path).filter((each) => programs.test(each))],
    )
    const isStarting = [...code, ...started].some((path) => starters.has(path))
    const shown = [...code].some((path) => openers.has(path)) ? pages : []
    return { test, reads: anyOf([...names, ...started, ...shown]), isStarting }
  })
  const testsThat = (is: (one: (typeof all)[number]) => boolean) => all.filter(is).map(({ test }) => test)
  return {
    readersOf: (changed) => testsThat(({ reads }) => changed.some(reads)),
    startersOf: (changed) => (changed.some((path) => serving.has(path)) ? testsThat((one) => one.isStarting) : []),
  }
}

/** Texts of the product name paths to people too. These parts of it read files of the project. */
const isRead = (path: string): boolean =>
  /^(test|contracts|src\/(devnet|cli|deploying|http\/dashboard\/pages))\//.test(path) ||
  path === 'src/adapters/evm/shipped-code.ts'

/** A named folder stands for all of its files, and a pattern for the files that match. */
function anyOf(names: readonly string[]): Reads {
  const [exact, globs] = [new Set(names), names.filter((name) => /[*{]/.test(name)).map((name) => new Glob(name))]
  return (path) =>
    above(path).some((folder) => exact.has(folder)) || exact.has(path) || globs.some((glob) => glob.match(path))
}

const above = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, n, parts) => parts.slice(0, n + 1).join('/'))

type Places = { files: ReadonlySet<string>; folders: ReadonlySet<string> }

const placesIn = (paths: readonly string[]): Places => ({
  files: new Set(paths),
  folders: new Set(paths.flatMap(above)),
})

const ups = /^(?:\.{0,2}\/)+/

/**
 * The files, folders and patterns that the texts of a source file name, from the root or from its own folder. A folder
 * of one word, such as `docs`, counts only where paths are joined: it is often just a word.
 */
function namesIn({ path: own, text }: SourceFile, { files, folders }: Places): string[] {
  const texts = [...text.matchAll(quotedOrNoted)].map(([found]) => found).filter((each) => /^['"`]/.test(each))
  const parts = texts
    .flatMap((each) => each.slice(1, -1).split(/\$\{[^}]*\}|[\s'"]+/))
    .filter(
      (each) => files.has(each) || (/^[\w./*{},-]*\w[\w./*{},-]*$/.test(each) && /[./]/.test(each.replace(ups, ''))),
    )
  const joined = [...text.matchAll(/\b(?:join|resolve|URL)\(\s*([\w.]+|'[^']*')((?:,\s*'[^']*')*)/g)].map(
    ([, first, rest]) => `${first!.startsWith("'") ? `${first},` : ''}${rest}`.replaceAll(/[',\s]+/g, '/'),
  )
  const isThere = (path: string): boolean => files.has(path) || folders.has(path) || /^[\w-]+\/.*[*{]/.test(path)
  const rooted = (name: string) => normalize(name.replace(ups, '')).replace(/\/$/, '')
  const nearby = (name: string) => normalize(`${dirname(own)}/${name}`).replace(/\/$/, '')
  return [
    ...parts.flatMap((each) => [rooted(each), nearby(each)]),
    ...joined.filter((each) => /\w/.test(each)).flatMap((each) => [rooted(each), nearby(each.replace(/^\//, ''))]),
    ...(/\bscan(?:Sync)?\(import\.meta\.dir\)/.test(text) ? [dirname(own)] : []),
  ].filter(isThere)
}

/** What a file imports only when it runs. */
function importedLate(path: string, texts: ReadonlyMap<string, string>): string[] {
  const late = [...(texts.get(path) ?? '').matchAll(/\bimport\(\s*'(\.[^']+)'/g)]
  return late
    .map(([, name]) => normalize(`${dirname(path)}/${name}`))
    .flatMap((name) => ['', '.ts', '.tsx', '/index.ts'].map((ending) => name + ending))
    .filter((each) => texts.has(each))
}

function closure(from: readonly string[], next: (path: string) => readonly string[]): Set<string> {
  const found = new Set(from)
  for (const path of found) for (const each of next(path)) found.add(each)
  return found
}
