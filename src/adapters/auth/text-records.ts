import { Resolver } from 'node:dns/promises'
import type { LookUpTexts } from '../../ports/people'

/** Error codes that mean no such record. Any other failure proves nothing. */
const nothingThere = ['ENODATA', 'ENOTFOUND']

/** Looks up TXT records at the system's name servers. Returns null if the lookup fails. */
export function textRecords(): LookUpTexts {
  const resolver = new Resolver({ timeout: 2_500, tries: 2 })
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      return nothingThere.includes((error as { code?: string }).code ?? '') ? [] : null
    }
  }
}
