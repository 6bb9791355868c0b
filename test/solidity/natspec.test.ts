import { expect } from 'bun:test'
import { Glob } from 'bun'
import { testAll } from '../support/test-all'

/** Everything that others can call: functions with their whole head, and the getters of public variables. */
const external =
  /^ {4}(?:function (\w+)\([^{;]*?\b(?:external|public)\b|(?:mapping\(.*\)|[\w[\]]+) public (?:immutable |constant )?(\w+))/gm

const sources = [...new Glob('contracts/src/**/*.sol').scanSync('.')].sort()

testAll(sources)('every contract describes everything that others can call', async (path) => {
  // Interfaces repeated here are documented at their own contract.
  const text = (await Bun.file(path).text()).replace(/^interface (?!IRouteGuard)[^{]*\{[^}]*\}/gm, '')
  const silent = [...text.matchAll(external)].filter(({ index }) => {
    const before = text.slice(0, index).trimEnd().split('\n').at(-1)!
    return !before.trimStart().startsWith('///')
  })
  expect(silent.map(([, name, getter]) => name ?? getter)).toEqual([])
})
