import { afterEach, expect, test } from 'bun:test'
import { onlineManager } from '@tanstack/react-query'
import { ask, askFile } from '../../src/dashboard/data/api'
import { newQueryClient } from '../../src/dashboard/data/query-client'
import { findIntent } from '../../src/dashboard/pages/intents/redirect'
import { testAll } from '../support/test-all'

afterEach(() => onlineManager.setOnline(true))

test('an action pressed without a network fails, and is not sent when the network returns', async () => {
  const client = newQueryClient()
  client.mount()
  onlineManager.setOnline(false)
  let sent = 0
  const refund = client.getMutationCache().build(client, {
    mutationFn: () => {
      sent += 1
      return Promise.reject(new Error('No network'))
    },
  })
  const pressed = refund.execute(undefined)
  expect(refund.state.isPaused).toBe(false)
  await expect(pressed).rejects.toThrow('No network')
  onlineManager.setOnline(true)
  await client.resumePausedMutations()
  client.unmount()
  expect([sent, refund.state.status]).toEqual([1, 'error'])
})

test('a figure that cannot be read without a network has failed, instead of loading forever', async () => {
  const client = newQueryClient()
  onlineManager.setOnline(false)
  const reading = client.fetchQuery({
    queryKey: ['states'],
    queryFn: () => Promise.reject(new Error('No network')),
    retry: false,
  })
  reading.catch(() => {})
  expect(client.getQueryState(['states'])?.fetchStatus).toBe('fetching')
  await expect(reading).rejects.toThrow('No network')
})

// Without a page there is no server to reach.
const unreached = 'The server cannot be reached.'
testAll([
  ['a figure', () => ask('/states'), /Check your connection; this page retries automatically\.$/],
  ['a count', () => ask('/jobs/count', { body: {}, isRepeated: true }), /this page retries automatically\.$/],
  ['a file', () => askFile('/executions/x/receipt'), /reached\. Check your connection and try again\.$/],
  ['a refund', () => ask('/executions/x/refund', { body: {} }), /This may not have been done\. .* try again\.$/],
  ['a revoked key', () => ask('/keys/x', { method: 'DELETE' }), /This may not have been done\. .* try again\.$/],
  ['the first read of a form', () => findIntent('u'), /This may not have been done\. .* try again\.$/],
] as const)('only what the page repeats is promised to be repeated', async (_, send, words) => {
  const error = await Promise.resolve(send()).catch((thrown: Error) => thrown)
  expect((error as Error).message).toStartWith(unreached)
  expect((error as Error).message).toMatch(words)
})
