import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { faultKinds } from '../src/devnet/faults'
import { chains } from '../src/domain/chain/chain'
import { errorCodes, errorRow } from '../src/domain/error'
import { statusNames } from '../src/domain/execution/status'
import { publicCode, type RefusalCode, refusals } from '../src/http/request/failure'
import { spread } from './support/spread'

const folders = ['src', 'machines', 'test', 'contracts', 'docs', 'bench', 'deploy', 'clients', 'examples']
const everyFile = [
  ...new Glob('*').scanSync('.'),
  ...folders.flatMap((cwd) => [...new Glob('**/*').scanSync(cwd)].map((path) => `${cwd}/${path}`)),
].map((path) => path.replaceAll('\\', '/'))
const own = 'test/documents.test.ts'
const isText = (path: string): boolean =>
  /\.(tsx?|mjs|sol|md|ya?ml|toml|css|html)$/.test(path) && !/\/(node_modules|out|cache|artifacts)\//.test(path)
const texts = await Promise.all(
  everyFile
    .filter((path) => isText(path) && path !== own)
    .map(async (path) => ({ path, text: await Bun.file(path).text() })),
)
const documents = texts.filter(({ path }) => path.endsWith('.md'))
const read = (name: string): string => documents.find(({ path }) => path === `docs/reference/${name}.md`)!.text
const within = (place: string) => texts.filter(({ path }) => path.startsWith(place))
const code = texts.filter(({ path }) => !path.endsWith('.md'))

/** The faults in these files, each with its file. */
type Text = (typeof texts)[number]
const wrongIn = (files: readonly Text[], wrong: (file: Text) => readonly string[]): string[] =>
  files.flatMap((file) => wrong(file).map((what) => `${file.path}: ${what}`))

/** The link anchor of a heading in a markdown document. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')
const headingsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.trim())

/** The documents that are cited by number, and the numbers of their headings or of their rows (`| **12** |`). */
const numbersIn = (name: string): string[] => [
  ...headingsOf(read(name)).flatMap((heading) => /^(\d+(?:\.\d+)?)\.? /.exec(heading)?.[1] ?? []),
  ...[...read(name).matchAll(/^\| \*\*([IH]?\d+)\*\* \|/gm)].map(([, number]) => number!),
]
const cited: Record<string, string[]> = {
  interface: numbersIn('interface'),
  extensions: numbersIn('extensions'),
  decision: numbersIn('decisions'),
  invariant: numbersIn('invariants'),
  hazard: numbersIn('hazards'),
  providers: numbersIn('providers'),
}
const numbersOf = (name: string): string[] => cited[name] ?? cited[name.replace(/s$/, '')] ?? []

/** `(extensions 9.1; decisions 12, 33)`: the one form in which code, tests and contracts cite the reference. */
const citation = /\(((?:interface|extensions|decisions?|invariants?|hazards?|providers) [IH]?\d[^()]*)\)/g
const deadCitations = (text: string): string[] =>
  [...text.replaceAll(/\n\s*(?:\*|\/\/\/?) ?/g, ' ').matchAll(citation)].flatMap(([, whole]) =>
    whole!.split(';').flatMap((part) => {
      const [, name = '', numbers = part] = /^ ?([a-z]+) ([IH.\d, ]+)$/.exec(part) ?? []
      return numbers.split(', ').flatMap((number) => (numbersOf(name).includes(number) ? [] : [`${name} ${number}`]))
    }),
  )

/** Forms that lead nowhere: a reader who has only this repository cannot follow them. */
const leadsNowhere = [
  /\bSources?: (?:beyond|spec|decision|reference)\b/gi,
  /(?<!\(|; )\bdecisions? \d+/gi,
  /(?<!\(|; )\binvariants? I\d+/gi,
  /\b(?:beyond|spec|reference), (?:\d|[A-Z])/g,
  /\b(?:finding|review|issue) #?\d+/gi,
]

/** Exported shapes of bodies and responses, with all fields at any depth. */
const shape = /export const \w+(?:View|Body|Request)\b/
function fieldsIn(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(fieldsIn)
  if (typeof json !== 'object' || json === null) return []
  const own = 'key' in json && typeof json.key === 'string' ? [json.key] : []
  return [...own, ...Object.values(json).flatMap(fieldsIn)]
}

describe('the reference', () => {
  test('numbers every heading and every rule once', () => {
    for (const [name, numbers] of Object.entries(cited)) {
      expect(numbers.length, name).toBeGreaterThan(0)
      expect(numbers, name).toEqual([...new Set(numbers)])
    }
  })

  test('has every heading and every rule that is cited', () => {
    expect(texts.flatMap(({ text }) => text.match(citation) ?? []).length).toBeGreaterThan(100)
    expect(wrongIn(texts, ({ text }) => deadCitations(text))).toEqual([])
  })

  test('is cited in the one form that can be followed', () => {
    expect(wrongIn(code, ({ text }) => leadsNowhere.flatMap((form) => text.match(form) ?? []))).toEqual([])
  })

  test('has every invariant and hazard that a rule or test begins with', () => {
    const known = [...numbersOf('invariant'), ...numbersOf('hazard')]
    const named = ({ text }: Text) => [...text.matchAll(/['"`]([IH]\d{1,2})[ :]/g)].map(([, number]) => number!)
    expect(within('test/').flatMap(named).length).toBeGreaterThan(30)
    expect(wrongIn(within('test/'), (file) => named(file).filter((number) => !known.includes(number)))).toEqual([])
  })

  test('has every decision and section that it refers to', () => {
    const spoken = (text: string, word: string) =>
      [...text.matchAll(new RegExp(`\\b${word}s? (\\d+(?:\\.\\d+)?)`, 'gi'))].map(([, number]) => number!)
    const missing = wrongIn(within('docs/reference/'), ({ text }) =>
      spoken(text, 'decision').filter((number) => !numbersOf('decision').includes(number)),
    )
    const sections = spoken(read('extensions'), 'section').filter((number) => !numbersOf('extensions').includes(number))
    expect([...missing, ...sections]).toEqual([])
  })

  test('has every refusal of the API, with its message', () => {
    const section = read('extensions').split('### 1.5 ')[1]!.split('\n## ')[0]!
    const missing = (Object.keys(refusals) as RefusalCode[]).filter(
      (code) => !section.includes(`\`${publicCode(code)}\``),
    )
    expect(missing).toEqual([])
    for (const [, statuses, codes] of section.matchAll(/^\| (\d{3}(?:, \d{3})*) \| (.*?) \|/gm))
      for (const [, code] of codes!.matchAll(/`([A-Z_]+)`/g)) {
        const known = Object.entries(refusals).filter(([name]) => publicCode(name as RefusalCode) === code)
        expect([code, known.some(([, [status]]) => statuses!.includes(String(status)))]).toEqual([code, true])
      }
  })

  test('has every cause of a failure as in the error table', () => {
    const told = read('extensions').split('## 12. ')[1]!.split('\n## ')[0]!
    const lines = told.split('\n').filter((line) => /^\| [A-Z_]+ \|/.test(line))
    expect(lines.map((line) => line.split(' | ')[0]!.slice(2)).sort()).toEqual([...errorCodes].sort())
    for (const line of lines) {
      const [code, category, , endsIn, message] = line.slice(2).split(' | ')
      const row = errorRow(code as (typeof errorCodes)[number])
      expect([code, category]).toEqual([code, String(row.category)])
      expect([code, endsIn]).toEqual([code, row.endsIn ?? 'stays where it is'])
      if (code !== 'ABANDONED') expect([code, message]).toEqual([code, row.message.replaceAll('’', "'")])
    }
  })

  test('has every path of the API', () => {
    const told = read('interface') + read('extensions')
    const routes = within('src/http/').filter(({ path }) => !path.includes('/dashboard/'))
    const pathsIn = ({ text }: Text) => [...text.matchAll(/^ +'(\/[a-z][\w/:-]*)',$/gm)].map(([, path]) => path!)
    expect(routes.flatMap(pathsIn).length).toBeGreaterThan(35)
    const isTold = (path: string): boolean =>
      path.startsWith('/docs/') || new RegExp(`[ /]${path.replace(/^\/(operator\/)?/, '')}[^\\w/]`).test(told)
    expect(wrongIn(routes, (file) => pathsIn(file).filter((path) => !isTold(path)))).toEqual([])
  })

  test('has every field that the API accepts and shows', async () => {
    const told = [...(read('interface') + read('extensions') + read('decisions')).matchAll(/\w+/g)].map(
      ([word]) => word,
    )
    const known = new Set(told)
    const shapes = within('src/http/').filter(({ path, text }) => !path.includes('/dashboard/') && shape.test(text))
    const missing: string[] = []
    let count = 0
    for (const { path } of shapes)
      for (const [name, view] of Object.entries<{ json?: unknown }>(await import(`../${path}`))) {
        const fields = /(View|Body|Request)$/.test(name) ? fieldsIn(view.json) : []
        count += fields.length
        missing.push(...fields.filter((field) => !known.has(field)).map((field) => `${path}: ${name}.${field}`))
      }
    expect(count).toBeGreaterThan(500)
    expect(missing).toEqual([])
  })

  test('has every fault of the devnet', () => {
    const page = documents.find(({ path }) => path === 'src/devnet/README.md')!.text
    for (const [target, kinds] of Object.entries(faultKinds)) {
      const line = page.match(new RegExp(`^\\| \`${target}\`[^|]*\\|(.*)\\|$`, 'm'))?.[1] ?? ''
      expect([target, ...[...line.matchAll(/\w+/g)].map(([kind]) => kind!)]).toEqual([target, ...kinds])
    }
  })

  test('has every status and every confirmation depth', () => {
    const told = [...read('interface').matchAll(/^\| ([A-Z_]+) \| (?:active|terminal) \|/gm)].map(
      ([, status]) => status!,
    )
    expect(told.sort()).toEqual([...statusNames].sort())
    for (const { name, confirmations } of Object.values(chains))
      expect(read('providers')).toContain(`| ${name} | ${confirmations} |`)
  })
})

/** `[text](../file.md#heading)` outside of code. */
const link = /\]\(([^)\s]+)\)/g
const resolved = (from: string, to: string): string => new URL(to, `file:///${from}`).pathname.slice(1)

test('links of the documents lead to existing files and headings', () => {
  const dead = ({ path, text }: Text) =>
    [
      ...withoutCode(text)
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(link),
    ].flatMap(([, target]) => {
      if (/^[a-z]+:/.test(target!)) return []
      const [file, heading] = target!.split('#')
      const name = file === '' ? path : resolved(path, file!)
      const isThere = everyFile.some((each) => each === name || each.startsWith(`${name.replace(/\/$/, '')}/`))
      const found = documents.find((document) => document.path === name)
      const isLinked = heading === undefined || !found || headingsOf(found.text).map(anchorOf).includes(heading)
      return isThere && isLinked ? [] : [target!]
    })
  expect(documents.flatMap(({ text }) => text.match(link) ?? []).length).toBeGreaterThan(5)
  expect(wrongIn(documents, dead)).toEqual([])
})

/** Files and folders in backticks. `{a,b}` names both. */
const named =
  /`((?:src|machines|test|contracts|docs|bench|clients|examples)\/[\w.{},*/-]+|[\w{},*-][\w.{},*/-]*\.(?:tsx?|mjs|sol|md))`/g
const isThere = (name: string): boolean => {
  if (everyFile.includes(name)) return true
  const [file, folder] = [new Glob(`**/${name}`), new Glob(`**/${name.replace(/\/$/, '')}/**`)]
  return everyFile.some((each) => file.match(each) || folder.match(each))
}

test('documents and comments name only existing files', () => {
  const namedIn = (text: string) => [...text.matchAll(named)].flatMap(([, name]) => spread(name!))
  const isComment = (line: string) => /^\s*(\/?\*|\/\/)/.test(line)
  const comments = ({ text }: Text) => text.split('\n').filter(isComment).join('\n')
  const missing = [
    ...wrongIn(documents, ({ text }) => namedIn(text).filter((name) => !isThere(name))),
    ...wrongIn(code, (file) => namedIn(comments(file)).filter((name) => name.includes('/') && !isThere(name))),
  ]
  expect(missing).toEqual([])
})

/** Uses of the glossary's words for other people: who runs a node or a name server, and who sends a request. */
const againstGlossary = [
  /\b(?:node|server) operators?\b/gi,
  /\boperators? of (?:a|an|its|the) (?:node|name server|chain|OP Stack)\b/gi,
  /\bof another operator\b/gi,
  /\bclient addresses?\b/gi,
]
test('an operator is the platform’s staff, and a client is a program or the author of the interface', () => {
  const others = texts.filter(({ path }) => path !== 'docs/reference/interface.md')
  const oneLine = (text: string) => text.replaceAll(/\s+\*?\s*/g, ' ')
  expect(wrongIn(others, ({ text }) => againstGlossary.flatMap((use) => oneLine(text).match(use) ?? []))).toEqual([])
})

test('design decisions are numbered and cited in one form', () => {
  const { text } = documents.find(({ path }) => path === 'docs/decisions.md')!
  const rows = [...text.matchAll(/^\| \*\*(\S+)\. /gm)].map(([, number]) => number!)
  expect(rows.length).toBeGreaterThan(30)
  expect(rows).toEqual(rows.map((_, n) => `D${n + 1}`))
  expect(text.match(/\(\d+\)/g) ?? []).toEqual([])
  const citedIn = ({ text: each }: Text) => [...each.matchAll(/\bD\d+\b/g)].map(([number]) => number)
  expect(wrongIn(within('docs/'), (file) => citedIn(file).filter((number) => !rows.includes(number)))).toEqual([])
})

test('the documents give the number of bugs planted in the simulation', () => {
  const files = texts.filter(({ path }) => /^test\/support\/simulation\/bugs(-[a-z-]+)?\.ts$/.test(path))
  const planted = files.flatMap(({ text }) => text.match(/^ {2}'.+': /gm) ?? [])
  const told = documents.flatMap(({ text }) => [
    ...text.matchAll(/^\| bugs planted in the simulation[^|]*\| ([^|]+) \|/gm),
  ])
  expect(told.map(([, count]) => count!.split(' of '))).toEqual([Array(2).fill(`${planted.length}`)])
})

test('imports in the documents’ commands exist', () => {
  const missingIn = ({ text }: Text) =>
    [...text.matchAll(/from "\.\/([\w/-]+)"/g)].flatMap(([, path]) => (everyFile.includes(`${path}.ts`) ? [] : [path!]))
  expect(wrongIn(documents, missingIn)).toEqual([])
  expect(missingIn({ path: '', text: 'import { retry } from "./src/domain/retry"' })).toEqual(['src/domain/retry'])
})

/** Lines of a document that are indented as commands, or that a shell would show. */
const commandsIn = ({ text }: Text): string[] => text.split('\n').filter((line) => /^ {4,}\S/.test(line))

test('the scripts in the documents can be parsed as code', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const isCode = (script: string): boolean => {
    try {
      return transpiler.transformSync(script) !== null
    } catch {
      return false
    }
  }
  const unread = ({ text }: Text) =>
    [...text.matchAll(/\b(?:bun|node) -e '([^']*)'/g)].map(([, script]) => script!).filter((script) => !isCode(script))
  expect(wrongIn(documents, unread)).toEqual([])
  expect(unread({ path: '', text: "    bun -e ' const a = 1 for (const b of [a]) c(b)'" })).toHaveLength(1)
})

test('the commands in the documents find the demo at any folder and port', () => {
  const fixed = (file: Text) => commandsIn(file).filter((line) => /\.switchyard\/|localhost:\d/.test(line))
  expect(wrongIn(documents, fixed)).toEqual([])
  expect(fixed({ path: '', text: '    curl localhost:3000/docs\n    cat .switchyard/devnet.json' })).toHaveLength(2)
})

test('every server in the code, the tests and the documents listens on one named interface', () => {
  const open = ({ text }: Text) =>
    [...text.matchAll(/Bun\.(?:serve|listen)\(\{[\s\S]{0,200}/g)].map(([start]) => start).filter(isOpen)
  const isOpen = (start: string): boolean => !/\bhostname\b/.test(start)
  expect(texts.flatMap(({ text }) => text.match(/Bun\.(?:serve|listen)\(\{/g) ?? []).length).toBeGreaterThan(10)
  expect(wrongIn(texts, open)).toEqual([])
})

test('the findings about the contracts and their tests name each other', () => {
  const told = documents.find(({ path }) => path === 'contracts/README.md')!.text
  const table = told.split('\n## ').find((section) => section.startsWith('What reviews found'))!
  const findings = [...table.matchAll(/^\| ([FC]\d+) \|/gm)].map(([, number]) => number!)
  const tests = within('contracts/test/').flatMap(({ text }) =>
    [...text.matchAll(/function (?:test|testFuzz|invariant)_(\w+)/g)].map(([, name]) => name!),
  )
  const numbered = tests.flatMap((name) => /^([FC]\d+)_/.exec(name)?.[1] ?? [])
  expect(numbered.filter((number) => !findings.includes(number))).toEqual([])
  const promised = [...table.matchAll(/`([FC]\d+_\w+|[a-z]+(?:_[a-z]+){2,})/g)].map(([, name]) => name!)
  expect(promised.length).toBeGreaterThan(30)
  expect(promised.filter((name) => !tests.some((each) => each.startsWith(name)))).toEqual([])
})

const columnsMax = 120

test('documents: a line of prose is no longer than one of code', () => {
  const isTableOrCode = /^\||^ {4}|\]\(http/
  const isLong = (line: string) => line.length > columnsMax && !isTableOrCode.test(line)
  const long = wrongIn(documents, ({ text }) => withoutCode(text).split('\n').filter(isLong))
  expect(long).toEqual([])
})
