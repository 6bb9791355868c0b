import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { verifyAudit } from '../../src/cli/audit/verify'
import { exportOf } from '../../src/http/operator/audit-export'
import { newDatabase } from '../support/new-database'
import { temporaryFolder } from '../support/temporary-folder'

const store = mongoStore(await newDatabase(), 'lines', Date.now)
const file = join(temporaryFolder('audit-lines'), 'audit.jsonl')
const said: string[] = []
beforeAll(() => void spyOn(console, 'log').mockImplementation((line) => void said.push(String(line))))
afterAll(() => void spyOn(console, 'log').mockRestore())

async function exported(): Promise<string[]> {
  await store.ensureIndexes()
  const who = (name: string) => ({ kind: 'MEMBER', id: `id of ${name}`, label: `${name}@corp.example` }) as const
  const acts = [
    { actor: who('ann'), verb: 'key.create', details: { label: 'Acme', allowedAddresses: ['10.0.0.1'], fee: 3 } },
    { actor: who('bob'), verb: 'member.invite', target: 'cy@corp.example', details: { role: 'admin' } },
    { actor: who('bob'), verb: 'execution.retry', reason: 'ann@corp.example asked', details: { a: [1, { b: null }] } },
  ] as const
  for (const [n, act] of acts.entries()) {
    const plain = { target: 'target', reason: null, requestId: `req_${n}`, organizationId: 'org_1', at: n }
    await store.auditLog.append({ ...plain, id: `aud_${n}`, ...act })
  }
  return (await (await exportOf(store.auditLog, { tenant: 'org_1' }, 'jsonl')).text()).trim().split('\n')
}

/** The report on a file. Null if it is refused. */
async function verified(lines: readonly string[]): Promise<string | null> {
  said.splice(0)
  writeFileSync(file, `${lines.join('\n')}\n`)
  const isGood = await verifyAudit(file, []).then(
    () => true,
    () => false,
  )
  return isGood ? said.join('\n') : null
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const others = (value: unknown) => [
  null,
  0,
  '',
  true,
  [],
  {},
  `${value}x`,
  [value],
  ...(typeof value === 'number' ? [String(value), value + 1] : []),
]

/** Every way to change, remove or add one field of a line. */
function* changesOf(whole: Json, at: Json = whole): Generator<[what: string, text: string]> {
  const written = (what: string): [string, string] => [what, JSON.stringify(whole)]
  for (const [field, value] of Object.entries(at)) {
    for (const other of others(value).filter((one) => JSON.stringify(one) !== JSON.stringify(value))) {
      at[field] = other
      yield written(`${field} is ${JSON.stringify(other)}`)
    }
    delete at[field]
    yield written(`no ${field}`)
    at[field] = value
    if (isObject(value)) yield* changesOf(whole, value)
  }
  if (Array.isArray(at)) return
  at['approvedBy'] = 'the owner'
  yield written('a field more')
  delete at['approvedBy']
}

test('any change, removal, addition or repetition in a line is detected', async () => {
  const lines = await exported()
  expect(await verified(lines)).toContain('3 entries, none changed')
  const missed: string[] = []
  let tried = 0
  for (const [n, line] of lines.entries()) {
    const twice = line.replace('{', '{"verb":"key.revoke",')
    for (const [what, text] of [...changesOf(JSON.parse(line)), ['a field twice', twice], ['spaces', ` ${line}`]]) {
      if (text === line) continue
      tried += 1
      const told = await verified(lines.with(n, text!))
      // A name that no entry uses is removed, and the command reports it.
      if (told !== null && !told.includes(' removed. The log contains no deletion')) missed.push(`line ${n}: ${what}`)
    }
  }
  expect(missed).toEqual([])
  expect(tried).toBeGreaterThan(300)
})

test('a removed, doubled or moved line is detected, names may be in any order, and a removed name is reported', async () => {
  const lines = await exported()
  const isOfName = (n: number) => lines[n]!.startsWith('{"name"')
  for (const [n, line] of lines.entries()) {
    expect(await verified(lines.toSpliced(n, 0, line))).toBeNull()
    const without = await verified(lines.toSpliced(n, 1))
    if (isOfName(n)) expect(without).toContain('1 name removed. The log contains no deletion')
    else expect(without).toBeNull()
    for (let m = n + 1; m < lines.length; m++) {
      const isSeen = (await verified(lines.with(n, lines[m]!).with(m, line))) === null
      if (!isOfName(n) && !isOfName(m)) expect([n, m, isSeen]).toEqual([n, m, true])
    }
  }
})
