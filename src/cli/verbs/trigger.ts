import { wallClock } from '../../adapters/clock'
import type { ChainKey } from '../../domain/chain/chain'
import { Api } from '../client/api'
import { followEvents, type ReceivedEvent, subjectOf } from '../client/follow-events'
import { clientAccess } from '../client/operator-api'
import { planFor } from '../demo/cause-event'
import { addExpiringKey } from '../demo/expiring-key'
import { organizationFor } from '../demo/organization-for'
import { databaseUrl } from '../installation/database'
import { type DevnetFile, readDevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import { printerSince } from '../terminal/progress'

type TriggerOptions = { from: ChainKey; timeout: number }
type Env = Record<string, string | undefined>

/**
 * Causes an event or an outcome on the devnet, and waits until the service emits it.
 *
 * @throws {Failure} outside a devnet, because events are never faked.
 */
export async function trigger(name: string, { from, timeout }: TriggerOptions): Promise<void> {
  const { type, cause, victim } = planFor(name)
  const file = devnetHere()
  const key = await keyOf[victim](file)
  const print = printerSince(wallClock())
  const whose = new Set<string>(victim === 'WITHOUT_QUOTA' ? ['sandbox-user'] : [])
  const newUser = (): string => {
    const userId = `trigger-${crypto.randomUUID().slice(0, 8)}`
    whose.add(userId)
    return userId
  }
  const until = performance.now() + timeout * 1_000
  const ending = new AbortController()
  const [opened, emitted] = [Promise.withResolvers<void>(), Promise.withResolvers<ReceivedEvent>()]
  const following = followEvents({
    access: { url: file.apiUrl, key },
    types: type,
    signal: ending.signal,
    onEvent: (event) => whose.has(event.data.userId ?? subjectOf(event)) && emitted.resolve(event),
    onOpen: opened.resolve,
    onBreak: (why) => print(`the stream of events broke: ${why}`),
    onMissed: () => {},
  })
  const late = setTimeout(
    () => emitted.reject(new Failure(`${type} was not emitted within ${timeout} s.`)),
    timeout * 1_000,
  )
  try {
    await Promise.race([opened.promise, following, emitted.promise])
    const world = {
      ...{ file, api: new Api(file.apiUrl, key), from, newUser, note: (id: string) => whose.add(id), until },
      addExpiringKey: () => addExpiringKey(databaseUrl(), key),
    }
    const caused = cause(world).then(() => print(`caused it for ${[...whose].join(', ')}; waiting for ${type}`))
    const event = await Promise.race([emitted.promise, Promise.all([caused, following]).then(() => emitted.promise)])
    const subject = [event.data.userId ?? 'this organization', subjectOf(event)].filter(Boolean).join(': ')
    print(`${event.type} ${event.id} of ${subject}`)
  } finally {
    clearTimeout(late)
    ending.abort()
    await following.catch(() => {})
  }
}

const keyOf = {
  SANDBOX: () => clientAccess({ ...process.env, SWITCHYARD_API_URL: undefined }).key,
  WITHOUT_QUOTA: ({ keys }: DevnetFile) => keys.quota,
  QUOTA_OF_ONE: () => organizationFor('QUOTA_OF_ONE', databaseUrl()),
  HOLDS_CHANGES: () => organizationFor('HOLDS_CHANGES', databaseUrl()),
} as const

/**
 * Returns the devnet on this machine. @throws {Failure} if there is none, or the environment names another
 * installation.
 */
function devnetHere({ SWITCHYARD_API_URL: url }: Env = process.env): DevnetFile {
  const refuse = () =>
    new Failure(
      `Events can be triggered only on a devnet of this machine, but SWITCHYARD_API_URL names ${url}. Unset it, and ` +
        'start a devnet with "npm run demo".',
    )
  let file: DevnetFile
  try {
    file = readDevnetFile()
  } catch (error) {
    throw url ? refuse() : error
  }
  if (url && URL.canParse(url) && new URL(url).host === new URL(file.apiUrl).host) return file
  if (url) throw refuse()
  return file
}
