import { expect, test } from 'bun:test'
import { isOwnName, isRecent } from '../../src/domain/tenant/sign-in'

test('a proof counts as recent for fifteen minutes', () => {
  const minute = 60_000
  expect([isRecent(null, 0), isRecent(0, 15 * minute - 1), isRecent(0, 15 * minute)]).toEqual([false, true, false])
})

test('an address and a local name are this machine’s own, with or without a port', () => {
  for (const host of ['localhost', 'LOCALHOST:80', 'my-app.localhost:3000', '127.0.0.1', '10.0.0.1:65535', '[::1]:80'])
    expect([host, isOwnName(host)]).toEqual([host, true])
  const others = ['example.com', 'localhost.example.com', 'notlocalhost', 'a.b.localhost', '1.2.3', '1.2.3.4.5']
  for (const host of [...others, 'localhost:123456', 'localhost:', '1.2.3.4x', 'x[::1]', '::1'])
    expect([host, isOwnName(host)]).toEqual([host, false])
})
