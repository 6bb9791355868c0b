import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const read = async (pattern: string): Promise<string[]> => {
  const paths = [...new Glob(pattern).scanSync(import.meta.dir)].filter((path) => path !== 'suites.test.ts')
  return Promise.all(paths.map((path) => Bun.file(`${import.meta.dir}/${path}`).text()))
}

test('every browser suite runs once', async () => {
  const exported = (await read('suites/*.ts')).flatMap((text) =>
    [...text.matchAll(/export function (\w+Tests)\(/g)].map(([, name]) => name!),
  )
  const run = (await read('*.test.ts')).flatMap((text) => text.slice(text.indexOf('\n\n')).match(/\w+Tests/g) ?? [])
  expect(run.toSorted()).toEqual(exported.toSorted())
})
