import { expect, test } from 'bun:test'
import { hashPartIn } from '../../src/domain/deposit/hash-part'

test('the beginning of a hash is read, and its end if it is shown', () => {
  const begin = '0x8224a1'
  for (const text of [begin, begin.toUpperCase().replace('X', 'x'), `8453:${begin}`, `${begin}…`, `${begin}..`])
    expect([text, hashPartIn(text)]).toEqual([text, { begin, end: '' }])
  for (const text of [`${begin}…1b9d`, `${begin}...1B9D`, `8453:${begin}…1b9d:7`, `8453:${begin}..1b9d:7:r2`])
    expect([text, hashPartIn(text)]).toEqual([text, { begin, end: '1b9d' }])
})

test('a text that is too short, too long or no hash is none', () => {
  const whole = `0x${'a'.repeat(64)}`
  expect(hashPartIn(whole.slice(0, -1))).toEqual({ begin: whole.slice(0, -1), end: '' })
  for (const text of [whole, '0x8224a', '8224a1', 'x0x8224a1', '0x8224a1g', '0x8224a1.', '0x8224a1:7', '0x8224a1…:r2'])
    expect([text, hashPartIn(text)]).toEqual([text, null])
})
