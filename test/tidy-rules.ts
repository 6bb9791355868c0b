import { dirname, normalize } from 'node:path'

export type SourceFile = { path: string; text: string }

const endings = ['', '.ts', '.tsx', '/index.ts']

/** The files of the same list that a file imports or exports from, types included. */
export function importsWithin(files: readonly SourceFile[]): Map<string, string[]> {
  const known = new Set(files.map(({ path }) => path))
  const imports = files.map(({ path, text }) => {
    const named = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, name]) =>
      normalize(`${dirname(path)}/${name}`),
    )
    const found = named.flatMap((name) => endings.map((ending) => name + ending).filter((each) => known.has(each)))
    return [path, found] as const
  })
  return new Map(imports)
}

/** The files without their type-only imports, which do not run. */
export function withoutTypes(files: readonly SourceFile[]): SourceFile[] {
  const isOfTypes = (clause: string): boolean =>
    /^type\b/.test(clause) || /^\{(\s*type \w+( as \w+)?,?)+\s*\}/.test(clause)
  return files.map(({ path, text }) => ({
    path,
    text: text.replace(/^(?:import|export) ([^'";]*?)from '\.[^']+'/gm, (all, clause) =>
      isOfTypes(clause) ? '' : all,
    ),
  }))
}

/** The files that run when these do: their imports and so on, without type-only imports. */
export function filesThatRun(files: readonly SourceFile[], entries: readonly string[]): SourceFile[] {
  const imports = importsWithin(withoutTypes(files))
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    imports.get(path)!.forEach(visit)
  }
  entries.forEach(visit)
  return files.filter(({ path }) => seen.has(path))
}

/** Every import cycle, as a path that returns to its start. */
export function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, above: readonly string[]): void => {
    const place = above.indexOf(path)
    if (place >= 0) cycles.push([...above.slice(place), path])
    if (place >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) visit(next, [...above, path])
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return cycles
}

const declared = /^export (?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm

const importStatement = /^(?:import|export)\s+(?:type\s+)?([^'"]*?)\s*from '(\.[^']+)'/gm
const importCall = /\bimport\(\s*'(\.[^']+)'/g
const everything = '*'

/** The names between `import` and `from`, as exported. */
function importedNames(clause: string): string[] {
  const [, inBraces = ''] = /\{([^}]*)\}/.exec(clause) ?? []
  const names = inBraces.split(',').map(
    (each) =>
      each
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0]!,
  )
  return clause.includes('*') ? [...names, everything] : names
}

/** Exported names that no other file imports, in the form `path: name`. */
export function unusedExports(files: readonly SourceFile[], readers: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path))
  const imported = new Set<string>()
  const note = (from: string, relative: string, names: readonly string[]): void => {
    const target = normalize(`${dirname(from)}/${relative}`)
    const found = endings.map((ending) => target + ending).find((each) => known.has(each))
    for (const name of names) imported.add(`${found}: ${name}`)
  }
  for (const { path, text } of readers) {
    for (const [, clause, relative] of text.matchAll(importStatement)) note(path, relative!, importedNames(clause!))
    for (const [, relative] of text.matchAll(importCall)) note(path, relative!, [everything])
  }
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(declared)]
      .map(([, name]) => `${path}: ${name}`)
      .filter((each) => !imported.has(each) && !imported.has(`${path}: ${everything}`)),
  )
}

type Fields = { name: string; fields: string[] }

const objectType = /^(?:export )?(?:type|const) (\w+) = (?:[\w.<>[\]' |]+ & )?(?:type\()?\{(.*)\n/gm

/** The object types and views that a file declares at its top level, with the names of their fields. */
function declaredFields(text: string): Fields[] {
  return [...text.matchAll(objectType)].map(({ 0: line, 1: name, 2: inLine, index }) => {
    const below = text.slice(index + line.length)
    const body = inLine === '' ? below.slice(0, below.search(/^\S/m)) : ` ${inLine}`
    const field = inLine === '' ? /^ {2}'?(\w+)\??'?\??:/gm : /[ ;{] *(\w+)\??:/g
    return { name: name!, fields: [...new Set([...body.matchAll(field)].map(([, each]) => each!))] }
  })
}

const fieldsMin = 3

/** Types of the pages whose fields are all in one type of the server, which they should import. */
export function retypedViews(pages: readonly SourceFile[], server: readonly SourceFile[]): string[] {
  const views = server.flatMap(({ text }) => declaredFields(text))
  return pages.flatMap(({ path, text }) =>
    declaredFields(text).flatMap(({ name, fields }) => {
      const view = views.find((each) => fields.every((field) => each.fields.includes(field)))
      return view && fields.length >= fieldsMin ? [`${path}: ${name} repeats ${view.name}`] : []
    }),
  )
}

/** Requests of the pages whose response type is written there instead of imported. */
export function ownAnswers(pages: readonly SourceFile[]): string[] {
  const imports = importsWithin(pages)
  const namesIn = new Map(pages.map(({ path, text }) => [path, declaredFields(text).map(({ name }) => name)]))
  return pages.flatMap(({ path, text }) => {
    const own = new Set([path, ...imports.get(path)!].flatMap((each) => namesIn.get(each)!))
    return [...text.matchAll(/\b(?:ask(?:All|For)?|useRead)<([^(\n]+)>\(/g)]
      .map(([, answer]) => answer!)
      .filter((answer) => answer.includes('{') || answer.match(/\w+/g)!.some((name) => own.has(name)))
      .map((answer) => `${path}: ${answer}`)
  })
}

/** `all` includes the lines of inner functions. */
type OwnLines = { at: string; indent: number; lines: number; all: number }

const indentOf = (line: string): number => line.length - line.trimStart().length
const isOpening = (line: string): boolean =>
  /=>( [{(])?$/.test(line) ||
  /^\s*(export )?(default )?(async )?function\b.*\{$/.test(line) ||
  /^\s*\).*\{$/.test(line) ||
  (/^\s*((private|override|async|static|get) )*[\w]+(<.*>)?\(.*\).*\{$/.test(line) &&
    !/^\s*(if|for|while|switch|catch|else|return)\b/.test(line))

/**
 * Counts each function's own lines, without inner functions, and all of them. It relies on the formatter's indentation: TypeScript 7 has
 * no parser that a test could call cheaply.
 */
export function ownLines({ path, text }: SourceFile): OwnLines[] {
  const lines = text.split('\n')
  const found: OwnLines[] = []
  const open: OwnLines[] = []
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue
    for (let last = open.at(-1); last && indentOf(line) <= last.indent; last = open.at(-1)) {
      found.push(open.pop()!)
    }
    const around = open.at(-1)
    if (around) around.lines += 1
    for (const outer of open) outer.all += 1
    if (isOpening(line)) open.push({ at: `${path}:${n + 1}`, indent: indentOf(line), lines: 0, all: 0 })
  }
  return [...found, ...open]
}

const loop = /^\s*(?:for (?:await )?\((?!.* of )|while \(|do \{)/
const write = /\b(?:save|bulkWrite|(?:update|replace|insert)(?:One|Many)|findOneAnd\w+)\(/

/** Writes in loops. They might repeat a conditional write after a lost race, as only `rewrite` does. */
export function writingLoops({ path, text }: SourceFile): string[] {
  const around: number[] = []
  return text.split('\n').flatMap((line, n) => {
    if (line.trim() === '') return []
    while (around.length > 0 && indentOf(line) <= around.at(-1)!) around.pop()
    if (loop.test(line)) around.push(indentOf(line))
    return around.length > 0 && write.test(line) ? [`${path}:${n + 1}`] : []
  })
}

const time = String.raw`\b(?:at|since|until|readAt|askedAt|endedAt|startedAt)\b`
const timed = [
  // A value or a promise beside its time: `{ at: number; rows: Promise<Row[]> }`.
  new RegExp(String.raw`\{[^{}\n]*${time}: number[^{}\n]*\bPromise<|\{[^{}\n]*\bPromise<[^\n]*${time}: number`),
  // A value that is returned while it is young: `if (last && last.at + freshMs > now()) return last.value`.
  /\bif \((\w+) && \1\.\w+ \+ \w+ > (?:\w+\.)?now\(\)\) return \1\b/,
  /\bif \((\w+) && (?:\w+\.)?now\(\) - \1\.\w+ < \w+\) return \1\b/,
  /\bif \((\w+) && (?:\1\.\w+ > (?:\w+\.)?now\(\)|(?:\w+\.)?now\(\) < \1\.\w+)\) return \1\b/,
]

/** Lines that keep a value beside its time, as only `aged` does. */
export const timedValues = ({ path, text }: SourceFile): string[] =>
  text.split('\n').flatMap((line, n) => (timed.some((each) => each.test(line)) ? [`${path}:${n + 1}`] : []))

const [nightLimitMs, defaultWaitMs] = [3_600_000, 300_000]

/** The value of a product or sum of numbers and of constants of the same file. Null if it has any other part. */
function numberOf(expression: string, text: string): number | null {
  const parts = expression.split(' + ').map((sum) =>
    sum.split(' * ').reduce<number | null>((product, factor) => {
      const [, named] = new RegExp(`\\bconst ${factor} = ([\\w *+]+)$`, 'm').exec(text) ?? []
      const value = /^[\d_]+$/.test(factor) ? Number(factor.replaceAll('_', '')) : named && numberOf(named, text)
      return product === null || typeof value !== 'number' ? null : product * value
    }, 1),
  )
  return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0)
}

/**
 * Limits of tests and hooks that are not above the night's default, and of waits below their default. A number, or a
 * constant of the same file, is the last argument after a function, or the `waitMs` of a wait. Bun takes 0 for no limit.
 */
export function shortLimits({ path, text }: SourceFile): string[] {
  const ofTests =
    /^( *)(?:\}, ([\w *+]+)\)|(?:\}|.*\)),\n\1([\w *+]+),\n *\)|(?:before|after)(?:All|Each)\(.*, ([\w *+]+)\))$/gm
  const found = [...text.matchAll(ofTests)].map(({ index, 2: inLine, 3: below, 4: ofHook }) => {
    return { index, expression: inLine ?? below ?? ofHook!, leastMs: nightLimitMs + 1 }
  })
  const ofWaits = [...text.matchAll(/\bwaitMs: ([\w *+]+)/g)].map(({ index, 1: expression }) => {
    return { index, expression: expression!.trim(), leastMs: defaultWaitMs }
  })
  return [...found, ...ofWaits].flatMap(({ index, expression, leastMs }) => {
    const limit = numberOf(expression, text)
    return limit && limit < leastMs ? [`${path}:${lineAt(text, index)}: ${expression}`] : []
  })
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

type Loop = { at: number; head: string; body: string }

/** The loops of a file, except those over a collection. The body is indented below the head. */
function loopsOf(text: string): Loop[] {
  const lines = text.split('\n')
  return lines.flatMap((line, n) => {
    if (!/^\s*(?:while \(|do \{|for \((?!(?:const|let) .* (?:of|in) ))/.test(line)) return []
    const below = lines.slice(n + 1)
    const length = below.findIndex((each) => each.trim() !== '' && indentOf(each) <= indentOf(line))
    return [{ at: n + 1, head: line.trim(), body: below.slice(0, length < 0 ? undefined : length).join('\n') }]
  })
}

/** A pause of some length. A pause of 0 only lets other work run. */
const pause = /\b(?:Bun\.sleep|delay|setTimeout)\((?!0\))/
const endless = /^(?:while \(true\)|for \([^;]*;\s*;)/
/** Paced work for a number of rounds, or until another part of the test sets its flag. */
const paced =
  /^(?:while|for) \((?:let \w+ = \d+)?;? ?(?:\w+ < [\w *]+ && )?(?:\w+ < [\w *]+|!is(?:Over|Stopped)(?:\(\))?|!\w+\.signal\.aborted)(?:;[^\n]*)?\)/

/**
 * Loops that wait: endless ones, and those that pause between two polls. Paced work is allowed, unless it ends itself
 * or only pauses.
 */
export function bareWaits({ path, text }: SourceFile): string[] {
  return loopsOf(text)
    .filter(({ head, body }) => {
      if (endless.test(head)) return true
      if (!pause.test(head) && !pause.test(body)) return false
      const isCounted = /^for \(let \w+ = \d+; \w+ < [\w *]+; \w+\+\+\)/.test(head)
      const isOnlyPause =
        !isCounted && /^\s*await (?:Bun\.sleep|delay)\([^\n]*\)\s*$/.test(body || head.replace(/^.*?\) (?=await)/, ''))
      const endsItself = /^\s*(?:if \(.*\) )?(?:return|break)\b|\bisOver = /m.test(body)
      return isOnlyPause || endsItself || !paced.test(head)
    })
    .map(({ at }) => `${path}:${at}`)
}

/** Functions, methods and properties with the name of a shared wait. */
export function ownWaits({ path, text }: SourceFile): string[] {
  const own =
    /^.*(?:\bfunction (?:until|eventually)\b|\bconst (?:until|eventually) = (?:async )?\(|^\s+(?:async )?(?:until|eventually)(?:<[^(\n]*>)?\((?!['"`])[^=\n]*\)(?:: [^=\n]*)? \{$|^\s+(?:until|eventually): (?:async )?(?:\(.*|\w+ )=>)/gm
  return [...text.matchAll(own)].map(({ index }) => `${path}:${lineAt(text, index)}`)
}

/** A rule of a port holds for each of its adapters apart, here of the stores and the signers. */
const ofAdapters = /\.each\((?:sample\('\w+', )?(?:stores|engineStores|signers)\b/

/** Rows of one rule that are separate tests: `test.each`, `describe.each`, and a test in a loop. */
export function rowsAsTests({ path, text }: SourceFile): string[] {
  const lines = text.split('\n')
  const around: number[] = []
  return lines.flatMap((line, n) => {
    if (line.trim() === '' || /^\s*(?:\/?\*|\/\/)/.test(line)) return []
    while (around.length > 0 && indentOf(line) <= around.at(-1)!) around.pop()
    const isEach = /\b(?:test|describe)(?:\.\w+)*\.each\b/.test(line) && !ofAdapters.test(line)
    const isLooped = around.length > 0 && /^\s*(?:test|nightly|declare|testAll)(?:\.\w+)*\(/.test(line)
    if (/^\s*(?:for (?:await )?\(|while \(|do \{|.*\.forEach\()/.test(line)) around.push(indentOf(line))
    return isEach || isLooped ? [`${path}:${n + 1}`] : []
  })
}

/** Skips other than those of `test/support/tools.ts`, whose names say why, and which fail where programs must exist. */
export const ownSkips = ({ path, text }: SourceFile): string[] =>
  [...withoutTexts(text).matchAll(/\b(?:test|describe|it)\.(?:skip|skipIf|if|todo|todoIf)\b/g)].map(
    ({ index }) => `${path}:${lineAt(withoutTexts(text), index)}`,
  )

/** Tests that return under a condition, and so pass without testing. A function inside them may, and a row may. */
export function bareGuards({ path, text }: SourceFile): string[] {
  const around: { indent: number; line: string }[] = []
  return text.split('\n').flatMap((line, n) => {
    if (line.trim() === '') return []
    while (around.length > 0 && indentOf(line) <= around.at(-1)!.indent) around.pop()
    const [outer, inner] = [around.at(-2)?.line ?? '', around.at(-1)?.line ?? '']
    const isInTest =
      /^\s*(?!describe\()(?:test\.)?\w+\(['"`].*\) => \{$/.test(inner) ||
      (/^\s*(?:async )?\([^()]*\) => \{$/.test(inner) && /^\s*(?:test\.)?\w+\($/.test(outer))
    around.push({ indent: indentOf(line), line })
    return isInTest && /^\s*if \(.*\) return(?:;? \/\/.*)?$/.test(line) ? [`${path}:${n + 1}`] : []
  })
}

/** Lines where a component or a hook writes to a ref in its own body, which runs while React renders. */
export function refsWrittenWhileRendering({ path, text }: SourceFile): string[] {
  const around: number[] = []
  return text.split('\n').flatMap((line, n) => {
    if (line.trim() === '') return []
    while (around.length > 0 && indentOf(line) <= around.at(-1)!) around.pop()
    const isWritten = /\.current (\?\?|\|\||&&|[-+])?= /.test(line) && around.length < 2 && !/=> .*\.current/.test(line)
    if (isOpening(line)) around.push(indentOf(line))
    return isWritten ? [`${path}:${n + 1}`] : []
  })
}

/**
 * Lines of a page with a default for a value that the server has not returned: `list.data ?? []`,
 * `found.data?.count` or `?? 0`. The page would show an unknown value as none.
 */
export function assumedValues({ path, text }: SourceFile): string[] {
  return text.split('\n').flatMap((line, n) => {
    // `state.data` is what a query's own refetch interval reads.
    const isOfQuery = /(?:\b(?!state\b)\w+|\))\.data(?:\?\.|!(?!=)|\s*(?:\?\?|\|\| *[[{'\d]))/.test(line)
    const isDefault = /\?\? (?:0\b|\[\])/.test(line) && /\/(?:pages|incidents|find|live)\//.test(path)
    const isKnownOr = /\bifLoaded\(.*(?:\?\?|\|\|) (?:0\b|\[\]|'')/.test(line)
    return isOfQuery || isDefault || isKnownOr ? [`${path}:${n + 1}`] : []
  })
}

/** Lines that pass ports on without their names. A value inside them, such as `...ports.docs`, has one. */
export const unnamedPorts = ({ path, text }: SourceFile): string[] =>
  text
    .split('\n')
    .flatMap((line, n) =>
      /\.\.\.(?:\w+\.)*(?:ports|stores?|deps|parts)\b(?!\.)/.test(line) ? [`${path}:${n + 1}`] : [],
    )

const typeDeclared = /^(?:export )?type (\w+) =/gm

/** The parts of a text at depth 0 of brackets, split at a character. */
function splitOutside(text: string, at: string): string[] {
  const found = ['']
  let depth = 0
  for (const [n, char] of [...text].entries()) {
    if ('({[<'.includes(char)) depth += 1
    // The arrow of a function type closes no bracket.
    if (')}]>'.includes(char) && !(char === '>' && text[n - 1] === '=')) depth -= 1
    if (char === at && depth === 0) found.push('')
    else found[found.length - 1] += char
  }
  return found.map((each) => each.trim()).filter((each) => each !== '')
}

/** Types named `Ports` or `…Ports` with more than `most` fields. Types of other files count by their imports. */
export function widePorts(files: readonly SourceFile[], most: number): string[] {
  const imports = new Map(files.map((file) => [file.path, file.text]))
  const bodyOf = (path: string, name: string): string | null => {
    const text = imports.get(path) ?? ''
    const start = new RegExp(`^(?:export )?type ${name} =`, 'm').exec(text)
    if (!start) return null
    const below = text.slice(start.index + start[0].length)
    return below.slice(0, below.search(/\n(?=[^\s}])|$(?![\s\S])/)).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
  }
  const homeOf = (path: string, name: string): string | null => {
    if (bodyOf(path, name) !== null) return path
    const named = new RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\} from '(\\.[^']+)'`).exec(imports.get(path) ?? '')
    const target = named && normalize(`${dirname(path)}/${named[1]}`)
    return target === null ? null : (endings.map((ending) => target + ending).find((each) => imports.has(each)) ?? null)
  }
  const fieldsOf = (path: string, expression: string): Set<string> => {
    const [, picking, inner, literals = ''] = /^(Pick|Omit)<(\w+),([^<>]*)>$/.exec(expression) ?? []
    const named = new Set([...literals.matchAll(/'(\w+)'/g)].map(([, each]) => each!))
    if (picking === 'Pick') return named
    if (picking === 'Omit') return fieldsOf(path, inner!).difference(named)
    if (expression.startsWith('{'))
      return new Set(
        splitOutside(expression.slice(1, -1).replaceAll('\n', ';'), ';').flatMap(
          (each) => /^(\w+)\??:/.exec(each)?.[1] ?? [],
        ),
      )
    const parts = splitOutside(expression, '&')
    if (parts.length > 1) return new Set(parts.flatMap((each) => [...fieldsOf(path, each)]))
    const home = /^\w+$/.test(expression) ? homeOf(path, expression) : null
    return home ? fieldsOf(home, (bodyOf(home, expression) ?? '').trim()) : new Set()
  }
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(typeDeclared)]
      .map(([, name]) => ({ name: name!, count: fieldsOf(path, name!).size }))
      .filter(({ name, count }) => name.endsWith('Ports') && count > most)
      .map(({ name, count }) => `${path}: ${name} has ${count}`),
  )
}

const privateWord =
  /(?:^|_)(?:(?:un)?(?:told|asked|kept)|known|found|standings?)(?![a-z])|(?:Told|Asked|Known|Found|Kept|Standings?)(?![a-z])/
/** Stored or public fields. A variable, a parameter or a function needs another name. */
const publicFields = 'asked|askedAt|askedBy|askedById|askedByKind|found|isTold|known|told|toldTo'
/** Usual English, names of standards and libraries, and models of the API. */
const usualNames = /[nN]otFound|^isFound$|^wellKnown$|^FoundUser(?:View)?$/
export const quotedOrNoted = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
const declarations = [
  String.raw`\b(?:const|let|function|class|type) (?:\[(?:\w+, )*)?(?:\.\.\.)?(NAME)\b`,
  String.raw`\(\[?(?:\w+, )*(?:\.\.\.)?(NAME)(?:, \w+)*\]?\) =>`,
  String.raw`\((?:[^()]*, )?(?:\.\.\.)?(NAME)\??: [^()]*\)(?: =>|: )`,
  String.raw`^ +(NAME)\??: [^,\n]+,$(?=[^{}]*^ *\))`,
  String.raw`[{,] (?:\w+: |\.\.\.)(NAME)(?: =| \}|,)`,
].map((pattern) => new RegExp(pattern.replace('NAME', publicFields), 'gm'))

/** Words that the project's names have given up. Tests and benchmarks do without them too. */
const formerWord =
  /(?:^|_)(?:burnt|askers?|wish(?:e[sd])?|sought|beats?|beating|ailing|letIn|lookMs|hear|tell|laneLed|forsaken)(?![a-z])|(?:Burnt|Askers?|Wish(?:e[sd])?|Sought|Beats?|Beating|Ailing|LetIn|LookMs|Hear|Tell|Nobodys|WayBack|Forsaken)(?![a-z])/
const namesIn = (text: string): RegExpExecArray[] => [...withoutTexts(text).matchAll(/\b[a-zA-Z_]\w*/g)]
const withoutTexts = (text: string): string =>
  text.replace(quotedOrNoted, (each) => `''${each.replaceAll(/[^\n]/g, '')}`)

/** Names with a word that other names have given up. */
export const formerNames = ({ path, text }: SourceFile): string[] =>
  namesIn(text)
    .filter(([name]) => formerWord.test(name))
    .map(({ 0: name, index }) => `${path}:${lineAt(withoutTexts(text), index)}: ${name}`)

/** Names with a word that only this project used, such as `told` for reported. */
export function privateNames({ path, text }: SourceFile): string[] {
  const code = withoutTexts(text)
  const isField = new RegExp(`^(?:${publicFields})$`)
  const used = namesIn(text).filter(([name]) => privateWord.test(name) && !isField.test(name) && !usualNames.test(name))
  const declared = declarations.flatMap((each) => [...code.matchAll(each)])
  return [...used, ...declared].map(({ 0: all, 1: name = all, index }) => `${path}:${lineAt(code, index)}: ${name}`)
}
