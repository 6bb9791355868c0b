import { expect, test } from 'bun:test'
import { addressesIn, canonicalAddress, isAddressRange, networkOf } from '../../src/domain/tenant/address-range'

test('an address has one form, without a zone, and a mapped one is IPv4', () => {
  const forms = {
    '192.0.2.7': '192.0.2.7',
    '2001:DB8:0:0::1': '2001:db8::1',
    'fe80::1%eth0': 'fe80::1',
    '::ffff:c000:207': '192.0.2.7',
    '::ffff:192.0.2.7': '192.0.2.7',
    '192.0.2.7%eth0': null,
    '192.0.2.256': null,
    name: null,
    '': null,
  }
  for (const [text, address] of Object.entries(forms)) expect([text, canonicalAddress(text)]).toEqual([text, address])
})

test('the network of an IPv6 address is its first half, and any other text is its own', () => {
  const networks = {
    '2001:db8::1': '2001:db8:0:0',
    '::1': '0:0:0:0',
    '1:0:0:2:3:4:5:6': '1:0:0:2',
    '1:2:3:4:5:6:7:8': '1:2:3:4',
    '1::': '1:0:0:0',
    '::ffff:1.2.3.4': '1.2.3.4',
    '1.2.3.4': '1.2.3.4',
    name: 'name',
  }
  for (const [text, network] of Object.entries(networks)) expect([text, networkOf(text)]).toEqual([text, network])
})

test('a range is an address, or one with as many bits as its family has', () => {
  const ranges = ['192.0.2.7', '10.0.0.0/8', '0.0.0.0/0', '10.0.0.0/32', '2001:db8::/32', '::/0', '::1/128']
  for (const text of ranges) expect([text, isAddressRange(text)]).toEqual([text, true])
  const others = ['10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/8/8', '10.0.0.0/a', 'name/8', '']
  for (const text of [...others, 'fe80::1%eth0', '::ffff:10.0.0.0', '10.0.0.0/1000', '/8'])
    expect([text, isAddressRange(text)]).toEqual([text, false])
})

test('a range contains the addresses of its own family only', () => {
  const isIn = addressesIn(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1'])
  const inside = ['192.0.2.7', '10.255.0.1', '::ffff:10.0.0.1', '2001:db8:ffff::', '::1']
  expect(inside.map(isIn)).toEqual(inside.map(() => true))
  const outside = ['192.0.2.8', '11.0.0.0', '2001:db9::', '::2', 'name', '']
  expect(outside.map(isIn)).toEqual(outside.map(() => false))
  expect(addressesIn(['::/0'])('1.2.3.4')).toBe(false)
})
