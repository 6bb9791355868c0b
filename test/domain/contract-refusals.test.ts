import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import { contractErrors, isOurRefusal, responsibleFor } from '../../src/domain/chain/contract-refusals'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const sources = [...new Glob('contracts/src/**/*.sol').scanSync(new URL('../..', import.meta.url).pathname)].map(read)
const page = read('contracts/README.md')
/** Table rows below the heading whose first cell is code. */
const rowsBelow = (heading: string): string[][] => {
  const section = page.slice(page.indexOf(heading) + heading.length).split(/\n##+ /)[0]!
  return [...section.matchAll(/^\| `.*$/gm)].map(([row]) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
const namesIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)

test('the table has exactly one row for every custom error of the contracts', () => {
  const declared = sources.flatMap((source) => [...source.matchAll(/^\s*error (\w+)\(/gm)].map(([, name]) => name!))
  expect(contractErrors.toSorted()).toEqual([...new Set(declared)].toSorted())
})

test('the contracts’ page lists every item that a holder can stop, with our error code', () => {
  const [, items] = /enum Item \{([^}]*)\}/.exec(read('contracts/src/ExecutorSettings.sol'))!
  const stops = rowsBelow('### What a stop on the chain does')
  expect(stops.map(([item]) => namesIn(item!)[0]).toSorted()).toEqual(
    items!
      .split(',')
      .map((item) => item.trim())
      .toSorted(),
  )
  for (const [item, errors] of stops) {
    expect({ item, errors: namesIn(errors!).length }).toEqual({ item, errors: 1 })
    expect({ item, ours: isOurRefusal(namesIn(errors!)[0]!) }).toEqual({ item, ours: true })
  }
})

test('the contracts’ page assigns every refusal to the same actor as the table', () => {
  const listed = rowsBelow('### Who acts after a refusal').flatMap(([who, errors]) =>
    namesIn(errors!).map((error) => [error, namesIn(who!)[0]!]),
  )
  expect(listed.toSorted()).toEqual(contractErrors.map((error) => [error, responsibleFor(error)]).toSorted())
})
