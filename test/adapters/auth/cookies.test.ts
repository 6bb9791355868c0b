import { expect, test } from 'bun:test'
import { cookieOf, isAmbiguous } from '../../../src/adapters/auth/cookies'

const [token, secure] = ['switchyard.session_token', '__Secure-switchyard.session_token']

test.each<[cookie: string, isTwice: boolean]>([
  ['', false],
  [`${token}=a`, false],
  [`${token}=a; other=b; other=c`, false],
  [`${token}=a; ${secure}=b`, false], // better-auth reads one of the two names and no other
  [`${token}; ${token}=a`, false],
  [`${token}=a; ${token}=b`, true],
  [`${token}=a;${token} =b`, true],
  [`${token}=a;${token}=a`, true],
  [`${secure}=a; x=y; ${secure}=`, true],
  ['switchyard.two_factor=a; switchyard.two_factor=b', true],
])('%j sends a cookie of ours twice: %p', (cookie, isTwice) => {
  expect(isAmbiguous(new Headers({ cookie }))).toBe(isTwice)
})

test('a cookie is read by its whole name and as better-auth reads it, so that both mean the same person', () => {
  const read = (cookie: string) => cookieOf(new Headers({ cookie }), 'switchyard.two_factor')
  expect(read('xswitchyard.two_factor=thief; switchyard.two_factor=victim')).toBe('victim')
  expect(read('switchyard.two_factor="%32fa-a.b%3D"')).toBe('2fa-a.b=')
  expect(read('switchyard.two_factor=%')).toBe('%')
  expect(read('other=a')).toBeUndefined()
})
