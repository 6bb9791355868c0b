import { Elysia } from 'elysia'
import type { ChainId } from '../../domain/chain'
import { chainKeyOf } from '../../domain/chain'
import type { Address } from '../../domain/hex'
import { planOf } from '../../domain/organization'
import { quotaKeyOf } from '../../domain/quota'
import { isTerminal } from '../../domain/status'
import type { UsageRow } from '../../ports/usage'
import { Refusal } from '../failure'
import type { MemberPorts } from './ports'
import { everybody, seated, tenantOf } from './seat'

const dayMs = 86_400_000
const daysMax = 92
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export type UsagePrices = {
  /** USD with 8 decimals for a whole token, and its decimals; null when nobody can say. */
  worth(chainId: ChainId, token: Address): Promise<{ usd: bigint; decimals: number } | null>
}

/** By day, key and pair of chains; the sums are made in the page (extensions 10.2). */
export const usageRoutes = (ports: MemberPorts) =>
  new Elysia().use(seated(ports, everybody)).get('/usage', async ({ seat, query, set }) => {
    const now = ports.now()
    const to = dayIn(query['to'], dateOf(now))
    const from = dayIn(query['from'], dateOf(now - 29 * dayMs))
    const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
    if (!(days >= 1 && days <= daysMax))
      throw new Refusal('VALIDATION_FAILED', { message: `from and to must span 1 to ${daysMax} days` })
    const { organization } = seat
    const apiKeyId = typeof query['apiKeyId'] === 'string' && query['apiKeyId'] ? query['apiKeyId'] : undefined
    const keys = await ports.apiKeys.ofOrganization(organization.id)
    const counted = keys.filter(({ id }) => apiKeyId === undefined || id === apiKeyId).map(({ id }) => id)
    const month = dateOf(now).slice(0, 7)
    const [rows, requests, used] = await Promise.all([
      ports.usage.rows(tenantOf(seat), from, to, apiKeyId),
      ports.requestLog.counts(counted, from, to),
      ports.executions.countQuota(quotaKeyOf(organization.id, now)),
    ])
    set.headers['cache-control'] = 'private, no-cache'
    return {
      from,
      to,
      quota: { month, limit: planOf(organization).monthlyExecutions, used, resetsAt: resetOf(now) },
      keys: keys.map(({ id, label }) => ({ id, label })),
      rows: await valued(rows, ports.worth),
      requests,
    }
  })

function dayIn(sent: unknown, otherwise: string): string {
  if (sent === undefined || sent === '') return otherwise
  if (typeof sent !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(sent) || Number.isNaN(Date.parse(sent)))
    throw new Refusal('VALIDATION_FAILED', { message: 'from and to must be dates such as 2026-11-21' })
  return sent
}

function resetOf(now: number): string {
  const at = new Date(now)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)).toISOString()
}

async function valued(rows: readonly UsageRow[], worth: UsagePrices['worth']) {
  return Promise.all(
    rows.map(async ({ token, amountInRaw, protocolFeeRaw, protocolFeeForgivenRaw, gasFeeRaw, ...row }) => {
      const price = await worth(row.fromChainId, token)
      const usd = (raw: bigint) => price && inUsd(raw, price)
      return {
        ...row,
        fromChainKey: chainKeyOf(row.fromChainId),
        toChainKey: row.toChainId === null ? null : chainKeyOf(row.toChainId),
        isOver: isTerminal(row.status),
        volumeUsd: usd(amountInRaw),
        protocolFeeUsd: usd(protocolFeeRaw),
        protocolFeeForgivenUsd: usd(protocolFeeForgivenRaw),
        gasFeeUsd: usd(gasFeeRaw),
      }
    }),
  )
}

/** Two decimals, as text: it informs and decides nothing. */
function inUsd(raw: bigint, { usd, decimals }: { usd: bigint; decimals: number }): string {
  const cents = (raw * usd) / 10n ** BigInt(decimals) / 1_000_000n
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
