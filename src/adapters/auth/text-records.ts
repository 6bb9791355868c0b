import { Resolver } from 'node:dns/promises'
import type { LookUpTexts } from '../../ports/sign-in/sso'

/** Answers that say that there is no such record; any other failure says nothing. */
const nothingThere = ['ENODATA', 'ENOTFOUND']

/** Asks the name servers of the system for TXT records. */
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
