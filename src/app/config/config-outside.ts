import { isAddressRange } from '../../domain/tenant/address-range'
import { isLoopback } from '../../http/request/caller-address'
import { type Objection, that } from './env-variable'

export const proxies = that(
  (text) => text.split(',').every(isAddressRange),
  'addresses or CIDRs with commas between them',
)

type Reach = { HOST?: string | undefined; PUBLIC_URL?: string | undefined }

/** Whether other machines can reach the service, judged by its settings. */
export const isOutside = ({ HOST = '127.0.0.1', PUBLIC_URL }: Reach): boolean =>
  !isLoopback(HOST) || (PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname))

const why = 'if other machines can reach the service (HOST, PUBLIC_URL)'

/**
 * Objects to variables that only a service on this machine may leave out. A session secret beside the sessions in the
 * database protects nothing. Without its public URL a service writes dead links and sends cookies that do not require
 * encryption.
 */
export const outsideObjections = (read: Reach & { AUTH_SECRET?: string | undefined }): Objection[] =>
  isOutside(read)
    ? (['AUTH_SECRET', 'PUBLIC_URL'] as const)
        .filter((name) => read[name] === undefined)
        .map((name) => ({ name, expected: null, why }))
    : []

const isHere = (text: unknown): boolean => {
  const parts = typeof text === 'string' ? text.split(',') : []
  return parts.every((part) => URL.canParse(part.trim()) && isLoopback(new URL(part.trim()).hostname))
}

const isTestMoney = (perChain: Record<string, unknown>): boolean =>
  Object.entries(perChain).every(([name, urls]) => !name.startsWith('RPC_URL_') || isHere(urls))

/** Webhooks may be posted to this machine only if all money is test money: every node must run on this machine too. */
export function loopbackObjections(isAllowed: boolean, perChain: Record<string, unknown>): Objection[] {
  if (!isAllowed || isTestMoney(perChain)) return []
  return [{ name: 'WEBHOOKS_TO_LOOPBACK', expected: 'false if any RPC_URL is not on this machine' }]
}

/** A faucet is allowed only if all money is test money: the faucet and every node must run on this machine. */
export function faucetObjections(faucetUrl: string | undefined, perChain: Record<string, unknown>): Objection[] {
  if (faucetUrl === undefined || (isHere(faucetUrl) && isTestMoney(perChain))) return []
  return [{ name: 'FAUCET_URL', expected: 'a URL on this machine, and every RPC_URL must be on this machine too' }]
}
