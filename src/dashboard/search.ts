import { type Answered, askFor, queryOf } from './api'

type Parameters = Record<string, string | number | null | undefined>

export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text)

/** What a piece of text may be, the likeliest first: one box takes an id, a user, an address or a hash. */
export function meaningsOf(text: string, path: string): Parameters[] {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return [{ txHash: text.toLowerCase() }, { routeId: text.toLowerCase() }]
  if (isAddress(text))
    return [
      { depositAddress: text },
      ...(path === '/executions' ? [{ targetAddress: text }] : []),
      { fromTokenAddress: text },
    ]
  if (/^\d+:/.test(text)) return [{ depositId: text.replace(/:r\d+$/, '') }]
  if (/^key_/.test(text)) return [{ apiKeyId: text }, { userId: text }]
  return [{ userId: text }]
}

/** The addresses to ask, in order, until one of them has an answer. */
export const addressesOf = (path: string, text: string | null, filter: Parameters): string[] =>
  (text ? meaningsOf(text, path) : [{}]).map((meaning) => `/app/api${path}${queryOf({ ...filter, ...meaning })}`)

export async function firstFound<T>(addresses: readonly string[], signal?: AbortSignal): Promise<Answered<T[]>> {
  let found: Answered<T[]> = { body: [], next: null, status: 200 }
  for (const address of addresses) {
    found = await askFor<T[]>(address, { signal })
    if (found.body.length > 0) break
  }
  return found
}
