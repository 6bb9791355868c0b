import { expect, test } from 'bun:test'
import type { Semaphore } from '../../../src/domain/limits/semaphore'
import { streamPermits } from '../../../src/http/events/stream-permits'
import type { Caller } from '../../../src/http/request/caller'
import { storedSemaphores } from '../../../src/limits/stored-semaphores'
import type { Semaphores } from '../../../src/ports/limits'
import { recordsInMemory } from '../../support/records'

const streams = { perKey: 1, perOrganization: 1, perPerson: 1 }
const caller = {
  actor: { kind: 'API_KEY', id: 'key_1', label: 'one' },
  organization: { id: 'org_1', plan: 'custom', customPlan: { streams } },
  personId: null,
} as unknown as Caller

function world() {
  const clock = { at: 1_000_000, isStoreAway: false }
  const now = () => clock.at
  const stored = storedSemaphores({ books: recordsInMemory<Semaphore>(), now })
  const acquire: Semaphores['acquire'] = (...asked) =>
    clock.isStoreAway ? Promise.reject(new Error('away')) : stored.acquire(...asked)
  const permitFor = streamPermits({ semaphores: { ...stored, acquire }, now, noteTrouble: () => {} })
  return { clock, open: () => permitFor(caller) }
}

test('an open stream keeps its permit, even if the store misses every second renewal', async () => {
  const { clock, open } = world()
  const permit = (await open())!
  for (let n = 1; n <= 30; n++) {
    clock.at += 10_000
    expect(await open(), `before the poll after ${n}0 s`).toBeNull()
    clock.isStoreAway = n % 4 === 2 // a renewal is due at every second poll
    expect(await permit.renew()).toBe(true)
    clock.isStoreAway = false
  }
})

test('a stream whose process died loses its permit after a minute', async () => {
  const { clock, open } = world()
  await open()
  clock.at += 59_999
  expect(await open()).toBeNull()
  clock.at += 1
  expect(await open()).not.toBeNull()
})
