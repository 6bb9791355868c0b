import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Api } from '../../src/cli/client/api'
import { followEvents, type ReceivedEvent, subjectOf } from '../../src/cli/client/follow-events'
import { planFor, triggerNames } from '../../src/cli/demo/cause-event'
import { addExpiringKey } from '../../src/cli/demo/expiring-key'
import { organizationFor } from '../../src/cli/demo/organization-for'
import { devnetFileOf } from '../../src/cli/installation/devnet-file'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { type Note, until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ withRelay: true, env: { ORDER_SECONDS: '30' } })
}, 600_000)
afterAll(() => environment?.stop(), 600_000)

/** `statuses.test.ts` makes every outcome happen in every run. */
const names = sample(triggerNames, 10)

/** Longest time in which a cause happens, and in which its event arrives. */
const tryMsMax = 5 * 60_000
const triesMax = 3

/** Nothing came in time. A wrong result is not tried again. */
const isLate = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.message.endsWith('did not happen in time.'))

/** Outcomes that stop a chain or remove blocks need their own chain. */
const chainsOfTheirOwn: Record<string, 'polygon' | 'avalanche' | 'ethereum'> = {
  PENDING: 'polygon',
  'deposit.orphaned': 'avalanche',
  'deposit.paused': 'avalanche',
  'chain.paused': 'ethereum',
  'chain.resumed': 'ethereum',
}

test('every event and every outcome can be triggered, and is reported', async () => {
  const { installation, newUserId } = environment
  const file = devnetFileOf(installation)
  const heard: ReceivedEvent[] = []
  const ending = new AbortController()
  const made = (kind: Parameters<typeof organizationFor>[0]) =>
    organizationFor(kind, installation.mongodbUrlWithDatabase)
  const keys = {
    SANDBOX: file.keys.client,
    WITHOUT_QUOTA: file.keys.quota,
    QUOTA_OF_ONE: await made('QUOTA_OF_ONE'),
    HOLDS_CHANGES: await made('HOLDS_CHANGES'),
  }
  const following = Object.values(keys).map((key) =>
    followEvents({
      access: { url: file.apiUrl, key },
      types: 'deposit.*,execution.*,execution.moved,intent.*,chain.*,quota.*,api_key.*,webhook_endpoint.*',
      signal: ending.signal,
      onEvent: (event) => heard.push(event),
      onOpen: () => {},
      onBreak: () => {},
      onMissed: () => {},
    }),
  )
  const told = await Promise.allSettled(
    names.map(async (name) => {
      const { type, cause, victim } = planFor(name)
      const whose = new Set<string>(victim === 'WITHOUT_QUOTA' ? ['sandbox-user'] : [])
      const api = new Api(file.apiUrl, keys[victim])
      const newUser = () => {
        const userId = newUserId('trigger')
        whose.add(userId)
        return userId
      }
      const from = chainsOfTheirOwn[name] ?? 'base'
      const isTold = (note: Note) => {
        const own = heard.filter((event) => whose.has(event.data.userId ?? subjectOf(event)))
        return note(own.map((event) => event.type)).includes(type)
      }
      // On a busy machine a deposit can miss its planned fault, and a person would trigger it again.
      for (let n = 1; ; n++)
        try {
          await cause({
            ...{ file, api, from, newUser, note: (id) => whose.add(id), until: performance.now() + tryMsMax },
            addExpiringKey: () => addExpiringKey(installation.mongodbUrlWithDatabase, keys[victim]),
          })
          return await until(`${name} is told`, isTold, { waitMs: tryMsMax })
        } catch (error) {
          if (n === triesMax || !isLate(error)) throw error
        }
    }),
  )
  ending.abort()
  await Promise.all(following)
  const failures = told.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const failure of failures) console.error(failure)
  if (failures.length > 0) throw failures[0]
  expect(told).toHaveLength(names.length)
}, 2_400_000)
