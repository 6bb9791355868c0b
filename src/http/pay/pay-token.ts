import type { Address } from '../../domain/chain/hex'
import type { Vault } from '../../ports/webhooks'

/** The content of a link, encrypted. The URL reveals nothing, and no one else can make one. */
export type PayLink = {
  account: Address
  madeAt: number
  expiresAt: number
  /** The only deposit that the link shows, and nothing to pay. Null for the page of the address. */
  deposit: string | null
}

const purpose = 'hosted deposit page'
const form = /^(0x[0-9a-fA-F]{40}) (\d{1,16}) (\d{1,16})(?: ([\w:-]{1,200}))?$/
const lengthMax = 600

export const payToken = (vault: Pick<Vault, 'seal'>, { account, madeAt, expiresAt, deposit }: PayLink): string =>
  vault.seal([account, madeAt, expiresAt, ...(deposit === null ? [] : [deposit])].join(' '), purpose)

/** @returns null for a token that is not ours or has expired. */
export function payLinkOf(vault: Pick<Vault, 'open'>, token: string, now: number): PayLink | null {
  const text = token.length <= lengthMax ? vault.open(token, purpose) : null
  const [, account, madeAt, expiresAt, deposit = null] = form.exec(text ?? '') ?? []
  if (account === undefined || Number(expiresAt) <= now) return null
  return { account: account as Address, madeAt: Number(madeAt), expiresAt: Number(expiresAt), deposit }
}
