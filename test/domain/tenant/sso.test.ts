import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addressOf,
  admissionOf,
  assertedBy as asserting,
  type Claims,
  domainForm,
  type SsoDomain,
} from '../../../src/domain/tenant/sso'
import { testAll } from '../../support/test-all'

/** With the settings of a new connection. */
const assertedBy = (claims: Claims, domains: readonly SsoDomain[]) => asserting(claims, domains, admissionOf({}))
const proved = [{ name: 'corp.example', token: 't', provedAt: 1 }]

testAll(['corp.example', 'a.b-c.example.org', 'xn--mnchen-3ya.example', `${'a'.repeat(63)}.example`])(
  'a domain is accepted',
  (name) => expect(domainForm.test(name)).toBe(true),
)

testAll([
  'example',
  'Corp.example',
  'corp.example.',
  '.corp.example',
  'corp..example',
  '-corp.example',
  'münchen.example',
  '192.0.2.1',
  `${'a'.repeat(64)}.example`,
  'corp.example\n',
  '',
])('a text that is not a domain is rejected', (name) => expect(domainForm.test(name)).toBe(false))

test('an e-mail address counts only at exactly the proved domain, for any text of a provider', () => {
  const written = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.string({ unit: 'binary' }), fc.constantFrom('@corp.example', '@other.example'))
      .map((parts) => parts.join('')),
    fc.string({ unit: fc.constantFrom(...'ab@.corp.example"<>, \n\u212A\u017F') }),
    fc.anything(),
  )
  fc.assert(
    fc.property(written, (email) => {
      const asserted = assertedBy({ sub: 's', email, email_verified: true }, proved)
      if (typeof asserted === 'string') return
      expect(asserted.email).toMatch(/^[\x21-\x3f\x5b-\x7e]{1,64}@corp\.example$/)
      expect(asserted.email).toBe(String(email).toLowerCase())
    }),
  )
})

test('a domain that is named but not proved does not count', () => {
  const claims = { sub: 's', email: 'a@corp.example', email_verified: true }
  expect(assertedBy(claims, [{ ...proved[0]!, provedAt: null }])).toBe('DOMAIN_NOT_PROVED')
  expect(assertedBy(claims, proved)).toEqual({ sub: 's', email: 'a@corp.example', name: '' })
})

test('a subject that is not a text of at most 255 characters is rejected', () => {
  for (const sub of [undefined, null, '', 5, ['s'], { $ne: 1 }, 's'.repeat(256)])
    expect(assertedBy({ sub, email: 'a@corp.example', email_verified: true }, proved)).toBe('NO_SUBJECT')
})

test('an address is one plain address in lower case', () => {
  expect(addressOf('Ann.B+c@Corp.Example')).toEqual({ email: 'ann.b+c@corp.example', domain: 'corp.example' })
  for (const text of [
    'a@b@corp.example',
    'a b@corp.example',
    '@corp.example',
    'a@corp',
    'a',
    '',
    null,
    5,
    `${'a'.repeat(65)}@corp.example`,
  ])
    expect(addressOf(text)).toBeNull()
})
