import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guides } from '../../src/dashboard/pages/members/sso-directories'
import { directories } from '../support/directories'

const page = readFileSync(join(import.meta.dir, '../../docs/integrators/members.md'), 'utf8').replaceAll(/\s+/g, ' ')

test('each tested directory has a section in the dashboard and is named on the page about members', () => {
  expect(guides.map(({ name }) => name)).toEqual(directories.map(({ name }) => name))
  for (const { name } of guides) expect(page).toContain(name)
})

test('the guides call for accepting unstated verification exactly where the directory states none', () => {
  for (const { name, statesVerification } of directories) {
    const { here } = guides.find((each) => each.name === name)!
    expect([name, here.includes('Accept addresses')]).toEqual([name, !statesVerification])
  }
})
