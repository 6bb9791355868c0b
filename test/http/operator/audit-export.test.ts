import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyAudit } from '../../../src/cli/audit/verify'
import type { ChainHead } from '../../../src/domain/tenant/audit-chain'
import { testAll } from '../../support/test-all'
import { peopledWorld } from '../world'

const folder = mkdtempSync(join(tmpdir(), 'audit-'))
const said: string[] = []
beforeAll(() => void spyOn(console, 'log').mockImplementation((line) => void said.push(String(line))))
beforeEach(() => void said.splice(0))
afterAll(() => {
  spyOn(console, 'log').mockRestore()
  rmSync(folder, { recursive: true })
})

/** A world with actions of two organizations, and an export as text. */
async function written(acts = 3) {
  const world = await peopledWorld()
  const { store, ask, clock } = world
  const append = (organizationId: string, n: number, details: object = { n }) =>
    store.auditLog.append({
      ...{ id: `aud_${organizationId}_${n}`, at: clock.now + n, organizationId, verb: 'key.edit', target: 'key_1' },
      ...{ actor: { kind: 'MEMBER', id: 'ann', label: '=cmd()' }, reason: null, requestId: null, details },
    })
  for (let n = 0; n < acts; n++) await append('org_a', n)
  await append('org_b', 0, { z: { b: 1, a: [2, null] } })
  const exported = async (key: string, format = 'jsonl') => {
    const answer = await ask(`/api/operator/audit/export?format=${format}`, { key })
    expect(answer.status).toBe(200)
    return answer.text
  }
  return { ...world, append, exported }
}

function verify(text: string, ...noted: ChainHead[]): Promise<void> {
  const file = join(folder, 'audit.jsonl')
  writeFileSync(file, text)
  return verifyAudit(file, noted)
}
const linesOf = (text: string) => text.trim().split('\n')

test('an organization exports its own log, the platform exports all, and both verify', async () => {
  const { exported, operator, platform } = await written()
  const own = await exported(operator)
  expect(own).not.toContain('org_b')
  await verify(own)
  expect(said[0]).toMatch(/^org_a: 3 entries, none changed\. The head is 3:[0-9a-f]{64}$/)
  await verify(await exported(platform))
  expect(said.slice(2, 4).map((line) => line.slice(0, 16))).toEqual(['org_a: 3 entries', 'org_b: 1 entries'])
})

test('a log of more than one page is exported whole', async () => {
  const { exported, operator } = await written(1_203)
  const text = await exported(operator)
  expect(linesOf(text)).toHaveLength(1_204)
  await verify(text)
})

test('the export of an organization without entries states that', async () => {
  const { exported, operator } = await written(0)
  await verify(await exported(operator))
  expect(said[0]).toStartWith('org_a: 0 entries')
})

test('the table holds the same entries, runs no formula in a spreadsheet, and ends with the head', async () => {
  const { exported, operator } = await written()
  const rows = (await exported(operator, 'csv')).trim().split('\r\n')
  expect(rows).toHaveLength(5)
  expect(rows[1]).toContain(",'=cmd(),")
  const { head } = JSON.parse(linesOf(await exported(operator)).at(-1)!)
  expect(rows.at(-1)).toBe(`org_a,3,,,,,log.head,,,,,,,${head.hash}`)
})

const changes: [name: string, change: (lines: string[]) => string[], fault: RegExp][] = [
  [
    'changed',
    (lines) => lines.map((line, n) => (n === 1 ? line.replace('key_1', 'key_2') : line)),
    /entry 2 was changed/,
  ],
  ['removed', (lines) => lines.toSpliced(1, 1), /entry 3 follows entry 1/],
  ['removed at the beginning', (lines) => lines.slice(1), /entry 2 follows entry 0/],
  ['exchanged', ([a, b, ...rest]) => [b!, a!, ...rest], /entry 2 follows entry 0/],
  ['doubled', (lines) => [lines[0]!, ...lines], /entry 1 follows entry 1/],
  ['cut off before the head', (lines) => lines.toSpliced(2, 1), /the head is not the entry before it/],
  ['cut off with the head', (lines) => lines.slice(0, -1), /was cut off/],
  ['all gone', () => [], /was cut off/],
  ['no JSON', (lines) => ['{', ...lines], /Line 1 is not a line of an export/],
  [
    'moved to another organization',
    (lines) => lines.map((line) => line.replaceAll('org_a', 'org_c')),
    /does not follow from/,
  ],
]
testAll(changes)('an export with altered entries is refused', async (_name, change, fault) => {
  const { exported, operator } = await written()
  const lines = linesOf(await exported(operator))
  await expect(verify(change(lines).join('\n'))).rejects.toThrow(fault)
})

test('a truncated or rewritten log is detected with a stored head', async () => {
  const { exported, operator, append, store } = await written()
  const head = await store.auditLog.head('org_a')
  await append('org_a', 3)
  await verify(await exported(operator), head)
  store.auditLog.entries.splice(2)
  await expect(verify(await exported(operator), head)).rejects.toThrow('The noted head 3 is not in this log')
  await append('org_a', 9)
  await expect(verify(await exported(operator), head)).rejects.toThrow('The noted head 3 is not in this log')
})

test('an export is refused to a key that is not an operator’s, and for an unknown format', async () => {
  const { ask, client, operator } = await written(0)
  expect((await ask('/api/operator/audit/export', { key: client })).status).toBe(403)
  expect((await ask('/api/operator/audit/export?format=xml', { key: operator })).status).toBe(400)
})

test('a missing file cannot be verified', async () => {
  await expect(verifyAudit(join(folder, 'nowhere'), [])).rejects.toThrow('cannot be read')
})

test('a log with unchained entries is not exported, because the export would look complete', async () => {
  const { ask, operator, platform, client: _, store } = await written()
  Object.assign(store.auditLog.entries[1]!, { seq: null })
  for (const key of [operator, platform]) {
    const { status, json } = await ask('/api/operator/audit/export', { key })
    expect([status, json.message]).toEqual([503, expect.stringContaining('npx switchyard migrate')])
  }
})
