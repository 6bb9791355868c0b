import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isAppointedBy, newMember, withRole } from '../../../src/domain/tenant/member-role'
import {
  type Admission,
  admissionOf,
  appointmentBy,
  assertedBy,
  type Claims,
  changedSso,
  claimsOf,
  isStricter,
  needsUserInfo,
  type Sso,
  type SsoPerson,
} from '../../../src/domain/tenant/sso'
import { corpDomain, type Directory, directories, entraId, keycloak, okta } from '../../support/directories'
import { testAll } from '../../support/test-all'

const proved = [
  { name: corpDomain, token: 't', provedAt: 1 },
  { name: 'named.example', token: 'u', provedAt: null },
]
const strict = admissionOf({})
const accepting = { ...strict, acceptsUnstatedVerification: true }
const judged = (claims: Claims, admission: Admission = strict) => assertedBy(claims, proved, admission)

/** The claims as the sign-in reads them: userinfo only if the ID token is not enough. */
const read = ({ idToken, userInfo }: Pick<Directory, 'idToken' | 'userInfo'>, needsGroups = false) =>
  needsUserInfo(idToken, { needsGroups }) ? claimsOf(idToken, userInfo) : idToken

test('a new connection admits people of Okta, Google Workspace and Keycloak, and of Entra ID once an owner accepts it', () => {
  for (const directory of directories) {
    const claims = read(directory)
    const { sub, name, email } = directory.userInfo
    const person = { sub, name, email } as SsoPerson
    expect(judged(claims), directory.name).toEqual(directory.statesVerification ? person : 'VERIFICATION_UNSTATED')
    expect(judged(claims, accepting), directory.name).toEqual(person)
  }
})

testAll<[name: string, stated: unknown]>([
  ['false', false],
  ['the text false', 'false'],
  ['null', null],
  ['zero', 0],
  ['an empty text', ''],
  ['the text True', 'True'],
  ['one', 1],
  ['a list', [true]],
])('a statement other than true is refused, whatever an owner accepts', (_, stated) => {
  for (const { idToken, userInfo } of directories) {
    const inToken = { idToken: { ...idToken, email: userInfo['email'], email_verified: stated }, userInfo }
    expect(judged(read(inToken), accepting)).toBe('EMAIL_NOT_VERIFIED')
    const { email_verified: _, ...unstated } = idToken
    const inUserInfo = { idToken: unstated, userInfo: { ...userInfo, email_verified: stated } }
    expect(judged(read(inUserInfo), accepting)).toBe('EMAIL_NOT_VERIFIED')
  }
})

test('an owner’s acceptance admits no address outside the proved domains, for any claims', () => {
  const email = fc.oneof(
    fc.constantFrom(
      'eve@other.example',
      `eve@sub.${corpDomain}`,
      'eve@named.example',
      `eve@${corpDomain}.evil.example`,
    ),
    fc.string({ unit: 'binary' }),
    fc.anything(),
  )
  const verified = fc.constantFrom(undefined, true, 'true', false, 'false', null)
  const stated = fc.record({ sub: fc.constant('eve'), email, email_verified: verified })
  fc.assert(
    fc.property(stated, stated, (idToken, userInfo) => {
      const asserted = judged(read({ idToken, userInfo }), accepting)
      if (typeof asserted !== 'string') expect(asserted.email).toEndWith(`@${corpDomain}`)
    }),
  )
})

test('claims of the ID token win, and userinfo fills in only what a decision reads', () => {
  const idToken = { sub: 's', email: 'a@corp.example', groups: ['old'], name: undefined }
  const userInfo = { sub: 'other', email: 'b@corp.example', groups: ['new'], name: 'B', auth_time: 5, hd: 'x' }
  expect(claimsOf(idToken, userInfo)).toEqual({ sub: 's', email: 'a@corp.example', groups: ['old'], name: 'B' })
})

test('a verification counts only for the address beside it', () => {
  const idToken = { sub: 's', email: 'boss@corp.example' }
  const verified = { sub: 's', email_verified: true }
  for (const [email, result] of [
    ['BOSS@corp.example', { sub: 's', email: 'boss@corp.example', name: '' }],
    ['eve@other.example', 'VERIFICATION_UNSTATED'],
    [undefined, 'VERIFICATION_UNSTATED'],
    [['boss@corp.example'], 'VERIFICATION_UNSTATED'],
  ] as const)
    expect(judged(read({ idToken, userInfo: { ...verified, email } }))).toEqual(result as never)
  const alone = { sub: 's', email_verified: true }
  expect(judged(read({ idToken: alone, userInfo: { email: 'boss@corp.example' } }))).toBe('VERIFICATION_UNSTATED')
})

test('groups are read from the ID token of Entra ID and Keycloak, and from the userinfo of Okta', () => {
  for (const directory of directories) {
    const admission = { ...accepting, groups: ['another', directory.group ?? 'any'] }
    const found = judged(read(directory, true), admission)
    if (directory.group === null) expect(found).toBe('GROUPS_UNSTATED')
    else expect(found, directory.name).toMatchObject({ email: directory.userInfo['email'] })
    if (directory.group !== null)
      expect(judged(read(directory, true), { ...accepting, groups: ['another'] })).toBe('NOT_IN_GROUP')
  }
  expect([entraId, okta].map(({ idToken, userInfo }) => [idToken['groups'], userInfo['groups']].map(Boolean))).toEqual([
    [true, false],
    [false, true],
  ])
})

testAll<[name: string, groups: unknown, result: string | null]>([
  ['one text', '/payments', null],
  ['a list with other values', [5, null, '/payments'], null],
  ['another case', ['/Payments'], 'NOT_IN_GROUP'],
  ['a longer name', ['/payments/archive'], 'NOT_IN_GROUP'],
  ['an empty list', [], 'NOT_IN_GROUP'],
  ['an object', { '/payments': true }, 'GROUPS_UNSTATED'],
  ['null', null, 'GROUPS_UNSTATED'],
])('a required group is compared letter for letter', (_, groups, result) => {
  const found = judged({ ...keycloak.idToken, groups }, { ...strict, groups: ['/payments'] })
  if (result === null) expect(found).toMatchObject({ email: `ada@${corpDomain}` })
  else expect(found).toBe(result as never)
})

test('a person in more than 200 groups of Entra ID is refused, because it then states none', () => {
  const { groups: _, ...idToken } = entraId.idToken
  const many = { ...idToken, _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } }
  expect(judged(read({ ...entraId, idToken: many }, true), { ...accepting, groups: [entraId.group!] })).toBe(
    'GROUPS_UNSTATED',
  )
})

test('a change is stricter exactly if it refuses a person whom the settings before admitted', () => {
  const names = fc.subarray(['a', 'b', 'c'])
  const admission = fc.record({ acceptsUnstatedVerification: fc.boolean(), groups: names })
  const people = [undefined, true].flatMap((email_verified) =>
    [undefined, ['a'], ['b'], ['c']].map((groups) => ({ sub: 's', email: 'a@corp.example', email_verified, groups })),
  )
  const admits = (by: Admission) => people.map((claims) => typeof judged(claims, by) !== 'string')
  fc.assert(
    fc.property(admission, admission, (after, before) => {
      const [now, then] = [admits(after), admits(before)]
      expect(isStricter(after, before)).toBe(then.some((was, n) => was && !now[n]))
    }),
  )
})

test('a member is appointed by each of the last owners who let more people in, even after a promotion', () => {
  const stored = { issuer: 'https://idp.test', clientId: 'c', secret: 's', domains: [], isDemanded: false } as const
  const first = { ...stored, id: 'one', role: 'member', domains: [...stored.domains] } as const satisfies Sso
  const admitted = (changes: [owner: string, change: (before: Sso) => Sso][]) => {
    const sso = changes.reduce(
      (before, [owner, change]) => changedSso(before, change(before), owner)!,
      changedSso(null, first, 'a')!,
    )
    return withRole(newMember('new', 'member', appointmentBy(sso, 1)), 'admin', { at: 2, by: 'promoter' }).appointed
  }
  const turned = (before: Sso): Sso => ({ ...before, role: before.role === 'member' ? 'operator' : 'member' })
  const narrowed = (before: Sso): Sso => ({ ...before, admission: { ...strict, groups: ['g'] } })
  const replaced = (before: Sso): Sso => ({ ...before, id: 'two' })
  const by = (changes: Parameters<typeof admitted>[0], among: string[]) =>
    among.filter((owner) => isAppointedBy(admitted(changes), owner))
  expect(
    by(
      [
        ['b', turned],
        ['c', narrowed],
        ['d', replaced],
      ],
      ['a', 'b', 'c', 'd', 'promoter'],
    ),
  ).toEqual(['a', 'b', 'd', 'promoter'])
  expect(
    by(
      [
        ['b', turned],
        ['a', turned],
      ],
      ['a', 'b'],
    ),
  ).toEqual(['a', 'b'])
  const many = Array.from({ length: 40 }, (_, n) => `o${n}`)
  const last = by(
    many.map((owner) => [owner, turned]),
    ['a', ...many],
  )
  expect([last.length, last[0]]).toEqual([21, 'o19'])
})
