import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { databaseUrl, withStore } from '../installation/database'

/** Runs every migration. Safe to interrupt and rerun at any time, also while the service runs. */
export async function migrateStore(
  { migrations, ensureIndexes }: Pick<MongoStore, 'migrations' | 'ensureIndexes'>,
  say: (line: string) => void,
  { finish = false }: { finish?: boolean } = {},
): Promise<void> {
  await ensureIndexes()
  for (const name of migrations.names) {
    const count = await migrations.run(name, (steps) => {
      if (steps % 1_000 === 0) say(`${name}: ${steps} steps so far`)
    })
    say(`${name}: done in ${count} steps`)
  }
  if (finish) {
    for (const name of await migrations.dropReplacedIndexes()) say(`index ${name}: dropped`)
    return
  }
  const { length } = await migrations.replacedIndexes()
  if (length > 0)
    say(
      `${length} indexes are used only by the previous release: run this with --finish once none of its processes runs`,
    )
}

export const migrate = (options: { finish?: boolean }): Promise<void> =>
  withStore(databaseUrl(), (store) => migrateStore(store, console.log, options))
