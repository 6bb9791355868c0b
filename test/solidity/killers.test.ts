import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const textOf = async (pattern: string): Promise<string> =>
  (await Promise.all([...new Glob(pattern).scanSync('.')].map((path) => Bun.file(path).text()))).join('\n')

test('every fault planted in the contracts names a forge test that exists', async () => {
  const tests = (await textOf('contracts/test/*.t.sol')).match(/(?<=function )(?:test|testFuzz|invariant)_\w+/g)
  const killers = (await textOf('contracts/*mutants.ts')).match(/(?<=')(?:test|testFuzz|invariant)_\w+(?=')/g)!
  expect(killers.length).toBeGreaterThan(100)
  expect(killers.filter((name) => !tests?.includes(name))).toEqual([])
})
