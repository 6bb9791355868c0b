import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { invariantMutants } from '../../contracts/invariant-mutants'
import { moduleMutants } from '../../contracts/module-mutants'
import { mutants } from '../../contracts/mutants'
import { reviewMutants } from '../../contracts/review-mutants'

const planted = [...mutants, ...moduleMutants, ...invariantMutants, ...reviewMutants]
/** Raise it with each new fault. */
const plantedAtLeast = 125

test('no fault planted in the contracts disappears', () => {
  expect(planted.length).toBeGreaterThanOrEqual(plantedAtLeast)
})

test('every fault planted in the contracts names a forge test that exists', async () => {
  const files = [...new Glob('contracts/test/*.t.sol').scanSync('.')]
  const texts = await Promise.all(files.map((path) => Bun.file(path).text()))
  const tests = texts.flatMap((text) => text.match(/(?<=function )(?:test|testFuzz|invariant)_\w+/g) ?? [])
  expect(planted.filter(({ killedBy }) => !tests.includes(killedBy))).toEqual([])
})
