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
  // A stopped chain would be taken for a broken node after a minute, before a slow machine has signed the order.
  const env = { ORDER_SECONDS: '30', HEAD_STALE_SECONDS: '3600' }
  environment = await startEnvironment({ withRelay: true, env })
})
afterAll(() => environment?.stop())

/** `statuses.test.ts` makes every outcome happen in every run. */
const names = sample('triggers', triggerNames, 10)

/** Longest time in which a cause happens. */
const causeMsMax = 5 * 60_000

/** Outcomes that stop or pause a chain or remove blocks need their own chain, one after another. */
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
  const opened = new Set<string>()
  const following = Object.entries(keys).map(([name, key]) =>
    followEvents({
      access: { url: file.apiUrl, key },
      types: 'deposit.*,execution.*,execution.moved,intent.*,chain.*,quota.*,api_key.*,webhook_endpoint.*',
      signal: ending.signal,
      onEvent: (event) => heard.push(event),
      onOpen: () => opened.add(name),
      onBreak: () => {},
      onMissed: () => {},
    }),
  )
  // A stream begins with the events after its start, so an earlier one would never arrive.
  await until('every stream is open', (note) => note(opened).size === following.length)
  const turns = new Map<string, Promise<unknown>>()
  const inTurn = (chain: string | undefined, work: () => Promise<unknown>): Promise<unknown> => {
    const turn = ((chain && turns.get(chain)) || Promise.resolve()).then(work)
    if (chain)
      turns.set(
        chain,
        turn.catch(() => {}),
      )
    return turn
  }
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
      const note = (id: string) => whose.add(id)
      await inTurn(chainsOfTheirOwn[name], () =>
        cause({
          ...{ file, api, from, newUser, note, until: performance.now() + causeMsMax },
          addExpiringKey: () => addExpiringKey(installation.mongodbUrlWithDatabase, keys[victim]),
        }),
      )
      return until(`${name} is told`, isTold)
    }),
  )
  ending.abort()
  await Promise.all(following)
  const failures = told.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const failure of failures) console.error(failure)
  if (failures.length > 0) throw failures[0]
  expect(told).toHaveLength(names.length)
})
