import { expect, test } from 'bun:test'
import { findIntent } from '../../src/dashboard/pages/intents/redirect'
import { testAll } from '../support/test-all'

testAll([['.'], ['..']])('an intent of a user named by dots is not reported as absent', async (userId) => {
  await expect(findIntent(userId)).rejects.toThrow('An id of only one or two dots cannot be in an address.')
})

test('other names with dots are asked for', async () => {
  // Without a page there is no server to reach.
  for (const userId of ['...', '.a', 'a..b', 'a/..'])
    await expect(findIntent(userId)).rejects.toThrow('The server cannot be reached.')
})
