import { expect, test } from 'bun:test'
import { cookieNamesOf, cookieOf, isAmbiguous, onePerSession } from '../../src/domain/tenant/sign-in-cookies'
import { testAll } from '../support/test-all'

const plain = cookieNamesOf('http://localhost')
const hosted = cookieNamesOf('https://switchyard.example')
const [token, secure] = [plain.session, hosted.session]

testAll<[cookie: string, overHttp: boolean, overHttps: boolean]>([
  ['', false, false],
  [`${token}=a`, false, false],
  [`${token}=a; other=b; other=c`, false, false],
  [`${token}=a; ${secure}=b`, false, false], // better-auth reads only one of the two names
  [`${token}; ${token}=a`, false, false],
  [`${token}=a; ${token}=b`, true, false],
  [`${token}=a;${token} =b`, true, false],
  [`${token}=a;${token}=a`, true, false],
  [`${secure}=a; x=y; ${secure}=`, false, true],
  [`__Secure-${token}=a; __Secure-${token}=b`, false, false],
  [`${plain.challenge}=a; ${plain.challenge}=b`, true, false],
  [`${plain.device}=a; ${plain.device}=b; switchyard.color=a; switchyard.color=b`, false, false],
])(
  'cookies that carry two identities are ambiguous, by the names used over http or https',
  (cookie, overHttp, overHttps) => {
    const headers = new Headers({ cookie })
    expect([isAmbiguous(headers, plain), isAmbiguous(headers, hosted)]).toEqual([overHttp, overHttps])
  },
)

test('over https a cookie of the same domain with another name is ignored', () => {
  const ours = [hosted.prefix, hosted.session, hosted.challenge, hosted.device]
  expect(ours.every((name) => name.startsWith('__Host-'))).toBe(true)
})

test('a cookie is read by its full name and as better-auth reads it, so both identify the same person', () => {
  const read = (cookie: string) => cookieOf(new Headers({ cookie }), 'switchyard.two_factor')
  expect(read('xswitchyard.two_factor=thief; switchyard.two_factor=victim')).toBe('victim')
  expect(read('switchyard.two_factor="%32fa-a.b%3D"')).toBe('2fa-a.b=')
  expect(read('switchyard.two_factor=%')).toBe('%')
  expect(read('other=a')).toBeUndefined()
})

test('a request with several sessions is split into one per session, with everything else unchanged', async () => {
  const headers = { cookie: `${token}=a.b%3D; x=y; ${token}=c; ${token}=c`, origin: 'http://localhost' }
  const sent = new Request('http://localhost/app/auth/sign-out', { method: 'POST', headers, body: '{}' })
  const each = onePerSession(sent, plain)
  expect(each.map((one) => one.headers.get('cookie'))).toEqual([`${token}=a.b%3D`, `${token}=c`])
  expect(await Promise.all(each.map((one) => one.text()))).toEqual(['{}', '{}'])
  expect(each.map((one) => [one.method, one.headers.get('origin')])).toEqual(Array(2).fill(['POST', headers.origin]))
})
