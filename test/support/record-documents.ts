import { BSON } from 'mongodb'
import type { Connection } from 'mongoose'
import { connect } from 'nats'

export const recordings = `${import.meta.dir}/../fixtures/documents`
const perKind = 2
/**
 * The auth library owns the sign-in collections, and the session secret must not be published. Migration records are
 * left out, which makes every migration run again.
 */
const leftOut = /^(auth_.*|settings|signs|probes|migrations|system\..*)$/

type Row = Record<string, unknown> & { _id: unknown; facts?: { waiting?: { for: string } } }
const kindOf = ({ state, stage, status, facts }: Row): string => [state, stage, status, facts?.waiting?.for].join()

/** The release that a recording is of. A recording of before this line has none. */
export type Release = { version: string; commit: string }
export type Recorded =
  | { release: Release }
  | { collection: string; document: { _id: string } }
  | { stream: { name: string; subjects: string[] }; consumers: { durable_name: string }[] }
  | { message: { subject: string; data: string } }

/** Names of the recordings, and what is in one. */
export const recordingsOfReleases = (): string[] => [...new Bun.Glob('*.jsonl').scanSync(recordings)].toSorted()
export async function recordedIn(file: string): Promise<Recorded[]> {
  const lines = (await Bun.file(`${recordings}/${file}`).text()).trim().split('\n')
  return lines.map((line) => BSON.EJSON.parse(line) as Recorded)
}

/** Keeps some wake-ups of each form as they are published, because workers take them from the stream at once. */
export async function wakesOn(natsUrl: string) {
  const nats = await connect({ servers: natsUrl })
  const kept: Recorded[] = []
  const forms = new Map<boolean, number>()
  nats.subscribe('wake.*', {
    callback: (_, { subject, data }) => {
      const text = new TextDecoder().decode(data)
      const count = (forms.get(text.startsWith('!')) ?? 0) + 1
      forms.set(text.startsWith('!'), count)
      if (count <= perKind) kept.push({ message: { subject, data: text } })
    },
  })
  await nats.flush()
  return { kept, stop: () => nats.close() }
}

/**
 * Records documents of each collection, the streams and the messages, as the running release stores them. Later
 * releases are tested on them.
 */
export async function recordRelease({ db }: Connection, natsUrl: string, release: Release, wakes: Recorded[]) {
  const lines: Recorded[] = [{ release }, ...wakes]
  for (const name of (await db!.listCollections().toArray()).map((one) => one.name).toSorted()) {
    const rows = leftOut.test(name) ? [] : ((await db!.collection(name).find().sort({ _id: 1 }).toArray()) as Row[])
    const kinds = Map.groupBy(rows, kindOf)
    const some = [...kinds.values()].flatMap((each) => each.slice(0, perKind))
    for (const document of some) lines.push({ collection: name, document: document as { _id: string } })
  }
  const nats = await connect({ servers: natsUrl })
  const manager = await nats.jetstreamManager()
  for (const { config, state } of await manager.streams.list().next()) {
    const consumers = (await manager.consumers.list(config.name).next()).map((one) => one.config)
    lines.push({ stream: config, consumers: consumers as { durable_name: string }[] })
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const stored = await manager.streams.getMessage(config.name, { seq }).catch(() => null) // a gap in a work queue
      if (stored) lines.push({ message: { subject: stored.subject, data: stored.string() } })
    }
  }
  await nats.close()
  const text = lines.map((line) => BSON.EJSON.stringify(line)).join('\n')
  await Bun.write(`${recordings}/${release.version}-${release.commit.slice(0, 8)}.jsonl`, `${text}\n`)
}
