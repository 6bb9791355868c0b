import { expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder'
import { openCompiler } from './compiler'
import { argues } from './decide'
import { equivalents, leftOut } from './equivalents'
import { mutated } from './mutated'

const settings = JSON.stringify({
  compilerOptions: { target: 'ESNext', module: 'Preserve', lib: ['ESNext'], types: [], strict: true, noEmit: true },
})

/** Writes files of a project without packages. Returns its folder. */
async function project(files: Record<string, string>): Promise<string> {
  const root = temporaryFolder('mutation')
  const all = { 'tsconfig.json': settings, 'test/timings.json': '{"files":{}}', ...files }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await Bun.write(join(root, path), text)
  }
  return root
}

async function run(root: string, ...flags: string[]): Promise<{ code: number; lines: string[] }> {
  const program = join(import.meta.dir, 'run.ts')
  const child = Bun.spawn([process.execPath, program, `--root=${root}`, ...flags], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  return { code: await child.exited, lines: output.trimEnd().split('\n') }
}

const feeFile = 'export const feeOf = (amount: number): number => (amount > 100 ? 1 : 0)\n'
const testsOfFee = (...cases: string[]) =>
  `import { expect, test } from 'bun:test'
import { feeOf } from '../../src/domain/fee'
test('fees', () => { ${cases.join('; ')} })
`
const [above, below] = ['expect(feeOf(200)).toBe(1)', 'expect(feeOf(1)).toBe(0)']
const [at, after] = ['expect(feeOf(100)).toBe(0)', 'expect(feeOf(101)).toBe(1)']

test('a weak test lets a mutant survive, and the runner reports it, its score and a failure', async () => {
  const root = await project({ 'src/domain/fee.ts': feeFile, 'test/domain/fee.test.ts': testsOfFee(above, below) })
  const { code, lines } = await run(root)
  expect(lines).toEqual([
    'SURVIVED: src/domain/fee.ts:1: ">" → ">="',
    'SURVIVED: src/domain/fee.ts:1: "100" → "101"',
    'src/domain/fee.ts: 71.4 % (5 killed, 2 survived, 0 argued, 0 refused by tsc)',
    'src/domain: 71.4 % (5 killed, 2 survived, 0 argued, 0 refused by tsc)',
    '5 mutants killed, 2 survived',
  ])
  expect(code).toBe(1)
  expect(await Bun.file(join(root, 'src/domain/fee.ts')).text()).toBe(feeFile)

  await Bun.write(join(root, 'test/domain/fee.test.ts'), testsOfFee(above, below, at, after))
  const again = await run(root, '--again')
  expect(again.lines.at(-1)).toBe('7 mutants killed, 0 survived')
  expect(again.code).toBe(0)
})

test('a file that no test imports has only survivors', async () => {
  const root = await project({ 'src/domain/fee.ts': feeFile })
  const { code, lines } = await run(root, '--sample=2')
  expect(lines.at(-1)).toBe('0 mutants killed, 2 survived')
  expect(code).toBe(1)
})

test('a test that fails without a mutant kills none, is named, and fails the run', async () => {
  const wrong = testsOfFee('expect(feeOf(1)).toBe(7)')
  const files = { 'src/domain/fee.ts': feeFile, 'test/domain/fee.test.ts': wrong }
  const { code, lines } = await run(await project(files), '--least=0')
  expect(lines).toContain('LEFT OUT: test/domain/fee.test.ts failed without a mutant:')
  expect(lines.at(-1)).toBe('0 mutants killed, 7 survived')
  expect(code).toBe(1)
})

test('a seed selects the same mutants in each run, and another seed others', async () => {
  const root = await project({ 'src/domain/fee.ts': feeFile })
  const survivors = async (seed: number) => (await run(root, '--sample=3', `--seed=${seed}`)).lines.slice(0, 3)
  const first = await survivors(1)
  expect(await survivors(1)).toEqual(first)
  expect([await survivors(2), await survivors(3)]).not.toEqual([first, first])
})

test('the compiler refuses a mutant in its own file and in a file that imports it', async () => {
  const names = "export const names = ['one', 'two'] as const\nexport const first: 'one' = names[0]\n"
  const other = "import { names } from './names.ts'\nexport const second: 'two' = names[1]\n"
  const root = await project({ 'src/domain/names.ts': names, 'src/domain/other.ts': other })
  const [path, also] = ['src/domain/names.ts', 'src/domain/other.ts']
  const compiler = await openCompiler(root, [path, also])
  const all = await compiler.mutantsOf(path)
  const refused: boolean[] = []
  for (const from of ["'one'", "'two'"]) {
    const mutant = all.find((each) => each.from === from)!
    refused.push(await compiler.refuses(mutant), await compiler.refuses(mutant, [also]))
  }
  await compiler.close()
  expect(refused).toEqual([true, true, false, true])
})

const changes: readonly (readonly string[])[] = [
  ['a + b', 'a - b'],
  ['a < b', 'a <= b', 'a >= b'],
  ['a >= b', 'a > b', 'a < b'],
  ['a === b', 'a !== b'],
  ['a && b', 'a || b'],
  ['a ?? b', 'a', 'b'],
  ['c ? a : b', '(a)', '(b)'],
  ['if (c) a()', 'if (true) a()', 'if (false) a()', 'if (c) ;'],
  ['while (c()) {}', 'while (false) {}'],
  ['x = !a', ';', 'x = a'],
  ['await a()', ';', 'a()'],
  ['const f = () => a()', 'const f = () => !(a())'],
  ['function f() { return a }', 'function f() { return !(a) }'],
  ['const x = 9_999n', 'const x = 10000n'],
  ['const waitMs = 30_000', 'const waitMs = 60000'],
  ['const x = [a, b, c]', 'const x = [b, c]', 'const x = [a, c]', 'const x = [a, b]'],
  ["const x = 'a'", "const x = ''"],
  ["const x = { a: '' }", "const x = { a: 'mutated' }"],
  ['const x = /^a$/i', 'const x = /a$/i', 'const x = /^a/i'],
  ['const x = a.filter(b)', 'const x = a'],
  ['const x = a.some(b)', 'const x = a.every(b)'],
  ['const x = Math.min(a, b)', 'const x = Math.max(a, b)'],
  // Both branches are equal at the boundary.
  ['const x = a < b ? a : b', 'const x = a >= b ? a : b', 'const x = (a)', 'const x = (b)'],
  [
    'const x = a > b ? a - b : 0n',
    'const x = a <= b ? a - b : 0n',
    'const x = a > b ? a + b : 0n',
    'const x = (a - b)',
    'const x = (0n)',
    'const x = a > b ? a - b : 1n',
  ],
  [
    'const x = a.toSorted((b, c) => (b < c ? -1 : b > c ? 1 : 0))',
    'const x = a',
    ...['b <= c ? -1 : b > c ? 1 : 0', 'b >= c ? -1 : b > c ? 1 : 0', '(-1)', '(b > c ? 1 : 0)'].map(
      (each) => `const x = a.toSorted((b, c) => (${each}))`,
    ),
  ],
  // Text for people, and types.
  ["throw new RangeError('a')"],
  ["type A = 'a' | 1"],
  ["import { a } from './a'"],
]

test('the runner changes a program in each way that could be a mistake', async () => {
  const texts = Object.fromEntries(changes.map(([text], n) => [`src/${n}.ts`, text!]))
  const compiler = await openCompiler(await project(texts), Object.keys(texts))
  const found = await Promise.all(
    Object.entries(texts).map(async ([path, text]) => [
      text,
      ...(await compiler.mutantsOf(path)).map((each) => mutated(text, each)).toSorted(),
    ]),
  )
  await compiler.close()
  expect(found).toEqual(changes.map(([text, ...changed]) => [text!, ...changed.toSorted()]))
})

test('each argued mutant still exists, exactly once', async () => {
  const root = join(import.meta.dir, '..', '..')
  const paths = [...new Set(equivalents.map(({ path }) => path))]
  const compiler = await openCompiler(root, paths)
  const texts = new Map(
    await Promise.all(paths.map(async (path) => [path, await Bun.file(join(root, path)).text()] as const)),
  )
  const all = (await Promise.all(paths.map((path) => compiler.mutantsOf(path)))).flat()
  await compiler.close()
  const counts = equivalents.map((each) => all.filter((mutant) => argues(mutant, texts.get(each.path)!, each)).length)
  expect(equivalents.filter((_, n) => counts[n] !== 1)).toEqual([])
})

test('each declaration without mutants still exists', async () => {
  const root = join(import.meta.dir, '..', '..')
  const texts = await Promise.all(leftOut.map(({ path }) => Bun.file(join(root, path)).text()))
  expect(leftOut.filter(({ name }, n) => !texts[n]!.includes(`const ${name}`))).toEqual([])
})
