import { existsSync, readFileSync } from 'node:fs'
import { loadConfig } from '../../src/app/config/config'
import { keyTexts } from '../../src/app/config/config-keys'
import { secretTexts } from '../../src/app/config/config-secrets'
import { type LogEvent, logLines } from '../../src/app/logging/log-lines'

export type Line = { event: LogEvent; level: string; msg: string; traceId?: string } & Record<string, unknown>

/** Complete lines of a log that is still being written. */
export const linesOf = (path: string): Line[] =>
  !existsSync(path)
    ? []
    : readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))

/** Every secret in a process's environment. */
export function secretsOf(env: Record<string, string | undefined>): string[] {
  const { secrets, keys } = loadConfig(env)
  const bare = [...keyTexts(keys), ...secretTexts(secrets)].map((text) => text.replace(/^0x/, ''))
  return [...new Set(bare)].filter(({ length }) => length >= 8)
}

/** Returns the faults of a log line. It is empty if the line matches the table and contains no secret. */
export function objectionsTo(line: Line, secrets: readonly string[]): string[] {
  const said = JSON.stringify(line)
  const { url: ownUrl, ...rest } = line
  const row = logLines[line.event] as { level: string } | undefined
  return [
    ...(row ? [] : ['its event is not in the table']),
    ...(row && row.level !== line.level ? [`its level is not ${row.level}`] : []),
    ...(said.includes('[object ') ? ['an object was written as [object]'] : []),
    ...(JSON.stringify(line.event === 'STARTED' ? rest : { ...rest, url: ownUrl }).includes('://') ? ['a URL'] : []),
    ...secrets.filter((secret) => said.toLowerCase().includes(secret.toLowerCase())).map(() => 'a secret'),
  ]
}
