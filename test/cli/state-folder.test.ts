import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findingIt, ownerOf, stateRoot, takeStateFolder, writePrivately } from '../../src/cli/installation/state-folder'
import { temporaryFolder } from '../support/temporary-folder'

const nobody = { pid: 2 ** 22 + 1, bornAt: '1' }
let folder: string
const given = process.env['SWITCHYARD_DIR']
beforeEach(() => {
  folder = temporaryFolder('state')
  process.env['SWITCHYARD_DIR'] = folder
})
afterEach(() => {
  if (given === undefined) delete process.env['SWITCHYARD_DIR']
  else process.env['SWITCHYARD_DIR'] = given
})

test('a second demo gets its own folder, and the owner of the first is reported', () => {
  const first = takeStateFolder(() => {})
  first.note({ apiUrl: 'http://127.0.0.1:1' })
  const told: unknown[] = []
  const second = takeStateFolder((path, owner) => told.push([path, owner.pid, owner.apiUrl]))
  expect(first.path).toBe(folder)
  expect(second.path).toBe(join(folder, 'beside-2'))
  expect(told).toEqual([[folder, process.pid, 'http://127.0.0.1:1']])
})

test('a command must name every folder except the default one', () => {
  expect(findingIt(takeStateFolder(() => {}).path)).toBe(`SWITCHYARD_DIR=${folder} `)
  expect(findingIt("/tmp/Ann's demo")).toBe("SWITCHYARD_DIR='/tmp/Ann'\\''s demo' ")
  expect(findingIt('some/folder')).toBe(`SWITCHYARD_DIR=${process.cwd()}/some/folder `)
  delete process.env['SWITCHYARD_DIR']
  expect(findingIt(stateRoot())).toBe('')
})

test('a folder that was released, or whose owner is dead, can be taken again', () => {
  const first = takeStateFolder(() => {})
  first.release()
  expect(ownerOf(folder)).toBeNull()
  expect(takeStateFolder(() => {}).path).toBe(folder)
  writeFileSync(join(folder, 'running.json'), JSON.stringify(nobody))
  expect(ownerOf(folder)).toBeNull()
  expect(takeStateFolder(() => {}).path).toBe(folder)
})

test('a process with the owner’s id but another start time is not the owner', () => {
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ pid: process.pid, bornAt: '1' }))
  if (existsSync('/proc/self/stat')) expect(takeStateFolder(() => {}).path).toBe(folder)
})

test('a file with keys is readable only by its owner, and replaces the old one as a whole', () => {
  const path = join(folder, 'devnet.json')
  writeFileSync(path, 'old', { mode: 0o644 })
  writePrivately(path, { keys: { client: 'secret' } })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ keys: { client: 'secret' } })
})
