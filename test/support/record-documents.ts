import { BSON } from 'mongodb'
import type { Connection } from 'mongoose'
import packageJson from '../../package.json'

const folder = `${import.meta.dir}/../fixtures/documents`
const perKind = 2
/**
 * The auth library owns the sign-in collections, and the session secret must not be published. Migration records are
 * left out, which makes every migration run again.
 */
const leftOut = /^(auth_.*|settings|signs|probes|migrations|system\..*)$/

type Row = Record<string, unknown> & { _id: unknown }
const kindOf = ({ state, stage, status }: Row): string => [state, stage, status].join()

/** Records documents of each collection as this release stores them. The next release tests its migrations on them. */
export async function recordDocuments({ db }: Connection): Promise<void> {
  const lines: string[] = []
  for (const name of (await db!.listCollections().toArray()).map((one) => one.name).toSorted()) {
    const rows = leftOut.test(name) ? [] : ((await db!.collection(name).find().sort({ _id: 1 }).toArray()) as Row[])
    const kinds = Map.groupBy(rows, kindOf)
    const some = [...kinds.values()].flatMap((each) => each.slice(0, perKind))
    for (const document of some) lines.push(BSON.EJSON.stringify({ collection: name, document }))
  }
  await Bun.write(`${folder}/${packageJson.version}.jsonl`, `${lines.join('\n')}\n`)
}
