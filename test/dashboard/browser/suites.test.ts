import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const read = async (pattern: string): Promise<string[]> => {
  const paths = [...new Glob(pattern).scanSync(import.meta.dir)]
  return Promise.all(paths.map((path) => Bun.file(`${import.meta.dir}/${path}`).text()))
}

test('every browser suite is run once', async () => {
  const exported = (await read('suites/*.ts')).flatMap((text) =>
    [...text.matchAll(/export function (\w+Tests)\(/g)].map(([, name]) => name!),
  )
  const [walk] = await read('walk.test.ts')
  const run = walk!.slice(walk!.indexOf('\n\n')).match(/\w+Tests/g) ?? []
  expect(run.toSorted()).toEqual(exported.toSorted())
})
