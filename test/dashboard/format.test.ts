import { expect, test } from 'bun:test'
import { clock } from '../../src/dashboard/data/format'

test('a time of day has two digits for its hour at every hour, and names its zone', () => {
  for (let hour = 0; hour < 24; hour++) expect(clock(Date.UTC(2026, 10, 23, hour, 6, 31))).toMatch(/^\d\d:06:31 [A-Z]/)
})
