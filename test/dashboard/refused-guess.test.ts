import { expect, test } from 'bun:test'
import { apiErrorOf } from '../../src/dashboard/data/api'

const messageOf = (code: string, left: string | null) =>
  apiErrorOf(new Response(null, { status: 401, ...(left && { headers: { 'ratelimit-remaining': left } }) }), { code })
    .message

test('a wrong code or password names the tries that are left once they are few', () => {
  for (const code of ['INVALID_CODE', 'INVALID_BACKUP_CODE', 'INVALID_PASSWORD', 'INVALID_EMAIL_OR_PASSWORD']) {
    expect([code, messageOf(code, '5')]).toEqual([code, expect.stringMatching(/\. Tries left: 5\.$/)])
    expect([code, messageOf(code, '0')]).toEqual([code, expect.stringMatching(/\. Tries left: 0\.$/)])
    for (const left of ['6', null])
      expect([code, messageOf(code, left)]).not.toEqual([code, expect.stringMatching(/left/)])
  }
  expect(messageOf('SOMETHING_ELSE', '1')).toBe('The server answered 401.')
})
