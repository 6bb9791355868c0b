import { expect } from 'bun:test'
import { isNightly, nightly } from '../../support/depth'
import { corpDomain } from '../../support/directories'
import { hasKeycloak, startKeycloak } from '../../support/keycloak'
import { testWith } from '../../support/tools'
import { type Cookies, ssoWorld } from './sso-world'

const people = [
  { username: 'ada', email: `ada@${corpDomain}`, emailVerified: true, groups: ['/payments'] },
  { username: 'eve', email: `eve@${corpDomain}`, emailVerified: false, groups: ['/payments'] },
]
const declare = isNightly ? testWith('Java with Maven', hasKeycloak) : nightly

declare(
  'people sign in through a real Keycloak with a confirmed address and a permitted group, and no others',
  async () => {
    const keycloak = await startKeycloak(people, 'a password of the test')
    const { ask, connect, me, refusals } = await ssoWorld()
    const { as } = await connect('org_a', `owner@${corpDomain}`, [corpDomain], keycloak)
    const enter = async (username: string): Promise<string> => {
      const cookies: Cookies = new Map()
      const { json } = await ask('/app/auth/sso/start', cookies, { body: { email: `any@${corpDomain}` } })
      const back = await keycloak.walk(json.url, username)
      await ask(back.pathname + back.search, cookies)
      return (await me(cookies))?.person.email ?? refusals().at(-1)
    }
    const admit = (terms: object) => as('/sso/admission', { method: 'PUT', body: terms })
    expect([await enter('ada'), await enter('eve')]).toEqual([`ada@${corpDomain}`, 'EMAIL_NOT_VERIFIED'])
    await admit({ acceptsUnstatedVerification: true })
    expect(await enter('eve')).toBe('EMAIL_NOT_VERIFIED')
    await admit({ groups: ['/payments'] })
    expect(await enter('ada')).toBe(`ada@${corpDomain}`)
    await admit({ groups: ['/another'] })
    expect(await enter('ada')).toBe('NOT_IN_GROUP')
  },
)
