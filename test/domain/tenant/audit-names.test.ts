import { expect, test } from 'bun:test'
import { namesIn, withoutNames } from '../../../src/domain/tenant/audit-names'
import { auditTexts } from '../../../src/domain/tenant/audit-texts'
import { auditVerbs } from '../../../src/domain/tenant/audit-verb'
import { publishedIn } from '../../support/published'
import { testAll } from '../../support/test-all'
import { undecidedIn } from '../../support/undecided'

const entry = (change: object) => ({
  ...{ id: 'a', at: 0, actor: { kind: 'MEMBER', id: 'p', label: 'p' }, organizationId: 'o', verb: 'member.invite' },
  ...{ target: 't', reason: null, details: {}, requestId: null, ...change },
})

testAll([
  ['an apostrophe', "o'brien@corp.example"],
  ['letters that end a sentence elsewhere', 'a/b{c}@corp.example'],
  ['nothing special', 'ann@corp.example'],
])('an address with special characters is one name, and is removed with its person', (_, email) => {
  const noted = entry({ target: email, details: { email: [email] } }) as never
  expect(namesIn(noted).map(({ name }) => name)).toEqual(['p', email])
  expect(JSON.stringify(withoutNames(noted, new Map([[email, 'stand']])))).not.toContain('corp')
})

testAll(['because ann@corp.example. Then', "because 'ann@corp.example' asked", 'was it ann@corp.example?'])(
  'an address in a sentence is a name without its surrounding punctuation',
  (reason) => {
    expect(namesIn(entry({ reason, verb: 'key.edit' }) as never).map(({ name }) => name)).toEqual([
      'p',
      'ann@corp.example',
    ])
  },
)

/** An entry with a distinct text in every field, including one field that the table does not list. */
function everywhere(verb: (typeof auditVerbs)[number]) {
  const { stays, apart } = auditTexts[verb]!
  const details = (fields: readonly string[], mark: string) =>
    Object.fromEntries(fields.map((field, n) => [field, n % 2 ? [{ from: `${mark} ${n}` }] : `${mark} ${field}`]))
  const texts = { ...details(stays, 'stays'), ...details(apart, 'apart'), unheardOf: { of: ['apart as well'] } }
  return entry({ verb, actor: { kind: 'API_KEY', id: 'k', label: 'apart key' }, details: texts }) as never
}

testAll([...auditVerbs])('an entry leaves only those texts in the chain that the table allows', (verb) => {
  const noted = everywhere(verb)
  const hidden = namesIn(noted).map(({ name }) => name)
  const kept = JSON.stringify(withoutNames(noted, new Map(hidden.map((name) => [name, 'stand']))))
  expect(kept).not.toContain('apart')
  expect(kept.match(/stays/g)?.length ?? 0).toBe(auditTexts[verb]!.stays.length)
  expect(undecidedIn(noted)).toEqual([`${verb}: unheardOf`])
})

test('the name of a shell user is removed, while names of our processes stay', () => {
  const labelled = (id: string) =>
    namesIn(entry({ verb: 'key.edit', actor: { kind: 'SYSTEM', id, label: 'l' } }) as never)
  expect([labelled('cli').length, labelled('sign-in').length]).toEqual([1, 0])
})

test('a network address is removed together with its person’s e-mail address', () => {
  const details = { email: 'ann@corp.example', address: '192.0.2.7', by: 'sso' }
  const hidden = namesIn(entry({ verb: 'person.sign_in', details }) as never)
  expect(hidden).toContainEqual({ name: '192.0.2.7', whose: 'ann@corp.example' })
})

test('the document lists the same separately stored fields as the code', async () => {
  const verbs = auditVerbs.map((verb) => ({ verb, ...auditTexts[verb]! }))
  const apart = verbs.map((each) => [...(each.isNamed ? ['target'] : []), ...each.apart].map(code).join(', '))
  const kinds = [...new Set(apart)].filter((fields) => fields !== '')
  const rows = kinds.map((fields) => {
    const acts = verbs.filter((_, n) => apart[n] === fields).map(({ verb }) => code(verb))
    return `| ${fields} | ${acts.join(', ')} |`
  })
  const text = ['| apart | in entries of |', '|---|---|', ...rows]
  await publishedIn('docs/reference/extensions.md', 'audit names', text.join('\n'))
  const kept = [...new Set(verbs.flatMap((each) => each.stays))].toSorted()
  await publishedIn('docs/reference/extensions.md', 'audit texts', wrapped(kept.map(code).join(', ')))
})
const wrapped = (text: string) => text.replace(/(.{1,119})(?: |$)/g, '$1\n').trim()
const code = (text: string) => `\`${text}\``
