import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainKey } from '../../src/domain/chain/chain'
import type { Environment } from './environment'
import { until } from './until'

/** URL of FerretDB's PostgreSQL. Null if a mongod runs. @param pid the server's process id. */
export function postgresUrl(pid: number | null): string | null {
  const name = 'FERRETDB_POSTGRESQL_URL='
  const variables = pid === null ? [] : readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  return variables.find((one) => one.startsWith(name))?.slice(name.length) ?? null
}

type Seen = Pick<Environment, 'installation' | 'dir'>

export async function readiness({ installation }: Seen): Promise<{ status: number; checks: Record<string, string> }> {
  const answer = await fetch(`${installation.apiUrl}/ready`)
  return { ...((await answer.json()) as { checks: Record<string, string> }), status: answer.status }
}

/** Waits until the service reports that a chain is paused. */
export const seenPaused = ({ installation }: Seen, key: ChainKey): Promise<boolean> =>
  until(`${key} that is paused`, async (note) => {
    const headers = { 'x-api-key': installation.keys.client }
    const answer = await fetch(`${installation.apiUrl}/api/chains`, { headers })
    const all = (await answer.json()) as { chainKey: string; message: string | null }[]
    note(all)
    return all.some(({ chainKey, message }) => chainKey === key && message?.includes('is paused'))
  })

/** Counts the service's warnings and errors by text. */
export function complaints({ dir }: Seen): Record<string, number> {
  const lines = readFileSync(join(dir, 'service.log'), 'utf8').split('\n')
  const told = lines.flatMap((line) => {
    const { level, msg } = line.startsWith('{')
      ? (JSON.parse(line) as { level: string; msg: string })
      : { level: '', msg: '' }
    return ['warn', 'error', 'fatal'].includes(level) ? [msg] : []
  })
  return Object.fromEntries(Object.entries(Object.groupBy(told, (msg) => msg)).map(([msg, all]) => [msg, all!.length]))
}
