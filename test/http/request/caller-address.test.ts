import { expect, test } from 'bun:test'
import { callerAddress, isLoopback } from '../../../src/http/request/caller-address'
import { testAll } from '../../support/test-all'

const from = (proxies: string[], socket: string, forwarded?: string) =>
  callerAddress(proxies)(
    new Request('http://x', { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} }),
    socket,
  )

testAll<[string[], string, string | undefined, string]>([
  [[], '198.51.100.1', '192.0.2.1', '198.51.100.1'], // no proxy is trusted: anyone can send the header
  [['10.0.0.0/8'], '10.1.2.3', '192.0.2.1', '192.0.2.1'],
  [['10.0.0.0/8'], '10.1.2.3', '203.0.113.7, 192.0.2.1', '192.0.2.1'], // the client wrote the part to the left
  [['10.0.0.0/8'], '10.1.2.3', '192.0.2.1, 10.9.9.9', '192.0.2.1'],
  [['10.0.0.0/8'], '11.0.0.1', '192.0.2.1', '11.0.0.1'],
  [['10.0.0.0/8'], '::ffff:10.1.2.3', '192.0.2.1:4711', '192.0.2.1'],
  [['::1'], '::1', '[2001:db8::5]:443', '2001:db8::5'],
  [['10.0.0.0/8'], '::ffff:a01:203', '::FFFF:808:808', '8.8.8.8'],
  [['10.0.0.0/8'], '10.1.2.3', '2001:0DB8:0::5%eth0', '2001:db8::5'],
  [['::/0'], '10.1.2.3', '192.0.2.1', '10.1.2.3'], // an IPv6 range trusts no IPv4 proxy
  [['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  [['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
])('a request’s address is the address that the last trusted proxy names', (proxies, socket, forwarded, expected) => {
  expect(from(proxies, socket, forwarded)).toBe(expected)
})

test('this machine is recognized by each of its names', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'localhost'].map(isLoopback)).toEqual(
    Array(5).fill(true),
  )
  expect(['0.0.0.0', '::', '10.0.0.1', 'switchyard.example'].map(isLoopback)).toEqual(Array(4).fill(false))
})
