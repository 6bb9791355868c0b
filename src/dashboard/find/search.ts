import { parseSearchText } from '../../domain/deposit/search-text'
import { type ApiAnswer, askFor, queryOf } from '../data/api'

type Values = Record<string, string | number | null | undefined>

/** Returns the list filters that a searched text could mean, the likeliest first. The palette searches everything. */
function meaningsOf(text: string, path: string): Values[] {
  const parsed = parseSearchText(text)
  const isDeposits = path === '/deposits'
  const asUser = { userId: text }
  switch (parsed.kind) {
    case 'HASH':
      return [{ txHash: parsed.text }, ...(isDeposits ? [] : [{ routeId: parsed.text }]), asUser]
    case 'ADDRESS':
      return [
        { depositAddress: parsed.text },
        isDeposits ? { fromAddress: parsed.text } : { targetAddress: parsed.text },
        { fromTokenAddress: parsed.text },
        asUser,
      ]
    case 'DEPOSIT':
      return isDeposits
        ? [{ txHash: /0x[0-9a-f]{64}/.exec(parsed.text)?.[0] ?? `0x${'0'.repeat(64)}` }]
        : [{ depositId: parsed.text.replace(/:r\d+$/, '') }]
    default: {
      // An e-mail address that was heard on the phone.
      const lower = text.toLowerCase()
      const asUsers = lower === text ? [asUser] : [asUser, { userId: lower }]
      return /^key_/.test(text) && !isDeposits ? [{ apiKeyId: text }, ...asUsers] : asUsers
    }
  }
}

/** Returns the URLs to try in order, until one returns rows. */
export const addressesOf = (path: string, text: string | null, filter: Values): string[] =>
  (text ? meaningsOf(text, path) : [{}]).map((meaning) => `/app/api${path}${queryOf({ ...filter, ...meaning })}`)

/** Returns the same URLs for an export of all rows. */
export const exportsOf = (...of: Parameters<typeof addressesOf>): string[] =>
  addressesOf(...of).map((address) => address.replace('/app/api/', '/app/api/exports/'))

export async function firstMatch<T>(addresses: readonly string[], signal?: AbortSignal): Promise<ApiAnswer<T[]>> {
  let apiAnswer: ApiAnswer<T[]> = { body: [], next: null, status: 200 }
  for (const address of addresses) {
    apiAnswer = await askFor<T[]>(address, { signal })
    if (apiAnswer.body.length > 0) break
  }
  return apiAnswer
}
