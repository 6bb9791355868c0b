import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { measure, type Sentence, sentencesOf, toRewrite } from './support/prose'
import { testAll } from './support/test-all'

/** Well-kept code of the field has one to four marks in 1,000 words (../shared/design/english.md). */
const marksMax = 4
const longShareMax = 0.05
/** One file may be above the limit, since a few words decide there, but not far above it. */
const fileMarksMax = 10
const fileWordsMin = 120
const shownMax = 20

const client = 'docs/reference/interface.md' // the client's own words
const read = (...patterns: string[]): Promise<Sentence[]> => {
  const paths = patterns
    .flatMap((pattern) => [...new Glob(pattern).scanSync('.')])
    .filter((path) => path !== client && !/node_modules|\.d\.ts$|schema\.ts$|\/(dist|out)\//.test(path))
  return Promise.all(paths.map(async (path) => sentencesOf({ path, text: await Bun.file(path).text() }))).then((all) =>
    all.flat(),
  )
}

const prose: [string, Sentence[]][] = [
  ['comments of the program', await read('{src,machines}/**/*.{ts,tsx,mjs}')],
  ['comments of the contracts', await read('contracts/{src,devnet,testnet,test,symbolic}/**/*.sol', 'contracts/*.ts')],
  ['comments of the tests', await read('{test,bench}/**/*.{ts,tsx}')],
  ['comments of the clients and examples', await read('{clients,examples}/**/*.{ts,tsx,mjs,jsx}')],
  ['documents', await read('{docs,deploy,src,contracts,test,bench,clients,examples}/**/*.md', '*.md')],
]

testAll(prose)(
  'prose is plain: few marks of a translation, and few sentences that must be read twice',
  (_, sentences) => {
    const { marksPerThousand, longShare } = measure(sentences)
    const isPlain = marksPerThousand <= marksMax && longShare <= longShareMax
    expect(
      isPlain
        ? []
        : [
            `${marksPerThousand.toFixed(1)} marks, ${(longShare * 100).toFixed(1)} % long`,
            ...toRewrite(sentences, shownMax),
          ],
    ).toEqual([])
  },
)

testAll(prose)('no file hides prose that is much worse than the rest', (_, sentences) => {
  const files = [...Map.groupBy(sentences, ({ path }) => path).values()]
  const bad = files.filter((one) => {
    const { words, marksPerThousand } = measure(one)
    return words >= fileWordsMin && marksPerThousand > fileMarksMax
  })
  expect(bad.flatMap((one) => toRewrite(one, shownMax))).toEqual([])
})

test('the rule sees what it must refuse', () => {
  const text = `// Whoever asks is told of it anew, so that nobody waits.\n/** Of what costs are shown, the price is twice that of now. */\n`
  const sentences = sentencesOf({ path: 'a.ts', text })
  expect(sentences.map(({ hints }) => hints.length)).toEqual([1, 5])
  expect(measure(sentences).marksPerThousand).toBeGreaterThan(200)
  expect(
    sentencesOf({ path: 'a.md', text: 'A line of text here.\n\n```\nso that nobody is told\n```\n' }),
  ).toHaveLength(1)
  const long = `// ${'word '.repeat(31)}ends.`
  expect(toRewrite(sentencesOf({ path: 'a.ts', text: long }), 1)[0]).toContain('32 words: make it two sentences')
})
