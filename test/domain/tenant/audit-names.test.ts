import { expect, test } from 'bun:test'
import { namesIn, withoutNames } from '../../../src/domain/tenant/audit-names'

const entry = (change: object) => ({
  ...{ id: 'a', at: 0, actor: { kind: 'MEMBER', id: 'p', label: 'p' }, organizationId: 'o', verb: 'member.invite' },
  ...{ target: 't', reason: null, details: {}, requestId: null, ...change },
})

test.each([
  ['an apostrophe', "o'brien@corp.example"],
  ['letters that end a sentence elsewhere', 'a/b{c}@corp.example'],
  ['nothing special', 'ann@corp.example'],
])('an address with %s is one name, so that it is removed with its person', (_, email) => {
  const noted = entry({ target: email, details: { email: [email] } }) as never
  expect([...namesIn(noted)]).toEqual([email])
  expect(JSON.stringify(withoutNames(noted, new Map([[email, 'stand']])))).not.toContain('corp')
})

test.each(['because ann@corp.example. Then', "because 'ann@corp.example' asked", 'was it ann@corp.example?'])(
  'an address in a sentence is a name without what stands around it: %s',
  (reason) => {
    expect([...namesIn(entry({ reason }) as never)]).toEqual(['ann@corp.example'])
  },
)
