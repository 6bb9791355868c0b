import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { readText } from '../../adapters/http'
import type { Listing } from '../../domain/blacklist-entry'
import { type ChainKey, chains } from '../../domain/chain/chain'
import { randomId } from '../../http/dashboard/new-tenants'
import { importList } from '../../screening/import-list'
import { ListRefused, readList } from '../../screening/read-list'
import { cliActor } from '../installation/audit'
import { databaseUrl, withStore } from '../installation/database'
import { Failure } from '../terminal/failure'

type ImportOptions = {
  list?: string
  as?: Exclude<Listing, 'ALLOWED'>
  kind?: 'ADDRESS' | 'TOKEN'
  chain?: ChainKey
  reason?: string
  force?: boolean
}

/** OFAC's whole SDN list has about 80 MB. */
const bytesMax = 300_000_000
const downloadMs = 120_000

/** Imports a list from a file or a URL. Removes entries of the list of this name that it no longer contains. */
export async function importBlacklist(from: string, options: ImportOptions): Promise<void> {
  const text = /^https?:\/\//.test(from) ? await download(from) : await readFile(from)
  const { as: listedAs, kind, chain, reason } = options
  const defaults = {
    ...(listedAs && { listedAs }),
    ...(kind && { kind }),
    ...(chain && { chainId: chains[chain].id }),
    ...(reason && { reason }),
  }
  try {
    const list = readList(text, defaults)
    const name = (options.list ?? basename(new URL(from, 'file:///').pathname)).slice(0, 100)
    const digest = createHash('sha256').update(text).digest('hex')
    await withStore(databaseUrl(), async (store) => {
      const { blacklist, blacklistLists, auditLog, time } = store
      await store.ensureIndexes()
      const platform = (await store.organizations.all()).find(({ isPlatform }) => isPlatform)
      const result = await importList(
        { blacklist, blacklistLists, auditLog, time, newId: () => randomId('aud_') },
        {
          ...list,
          name,
          digest,
          isForced: options.force ?? false,
          actor: cliActor,
          organizationId: platform?.id ?? 'platform',
        },
      )
      const { version, added, removed, unchanged, overruled } = result
      console.log(`${name}, version ${version}: ${added} added, ${removed} removed, ${unchanged} unchanged`)
      if (overruled > 0) console.log(`${overruled} entries keep an operator’s decision`)
      if (list.ignored > 0) console.log(`${list.ignored} lines were ignored: they name other chains or nothing to list`)
    })
  } catch (error) {
    throw error instanceof ListRefused ? new Failure(error.message) : error
  }
}

async function readFile(path: string): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new Failure(`There is no file ${path}.`)
  if (file.size > bytesMax) throw new Failure(`${path} is too large.`)
  return file.text()
}

async function download(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(downloadMs) })
    if (response.ok) return await readText(response, bytesMax)
    throw new Failure(`The list could not be downloaded: the server answered ${response.status}.`)
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`The list could not be downloaded: ${(error as Error).message}`)
  }
}
