import type { Connection } from 'mongoose'
import type { UsageQueries, UsageRow } from '../../ports/usage'
import { executionModel } from './execution-model'

const dayMs = 86_400_000
/** Days that are over change seldom: what is asked for again and again is kept for a moment. */
const keptMs = { past: 300_000, today: 2_000 } as const
const keptMax = 200

type Group = {
  _id: {
    date: string
    apiKeyId?: string | null
    fromChainId: UsageRow['fromChainId']
    toChainId?: UsageRow['toChainId']
    token: UsageRow['token']
    status: UsageRow['status']
  }
  count: number
  amountIn: unknown
  protocolFee: unknown
  forgiven: unknown
  gasFee: unknown
  seconds: number | null
}

const sumOf = (path: string) => ({ $sum: { $toDecimal: { $ifNull: [path, '0'] } } })

const grouped = {
  $group: {
    _id: {
      date: { $dateToString: { format: '%Y-%m-%d', date: { $toDate: '$createdAt' } } },
      apiKeyId: '$facts.intent.apiKeyId',
      fromChainId: '$deposit.chainId',
      toChainId: '$facts.intent.targetChainId',
      token: '$deposit.token',
      status: '$status',
    },
    count: { $sum: 1 },
    amountIn: sumOf('$deposit.amountRaw'),
    protocolFee: sumOf('$facts.fees.protocolFeeEffective'),
    forgiven: sumOf('$facts.fees.protocolFeeForgiven'),
    gasFee: sumOf('$facts.fees.gasFeeRaw'),
    seconds: {
      $sum: {
        $cond: [{ $eq: ['$status', 'SUCCESS'] }, { $subtract: ['$completedAt', '$deposit.detectedAt'] }, 0],
      },
    },
  },
}

export function mongoUsageQueries(connection: Connection, now: () => number = Date.now): UsageQueries {
  const model = executionModel(connection)
  const kept = new Map<string, { until: number; rows: Promise<UsageRow[]> }>()

  function ask(organizationId: string | null, from: number, to: number, apiKeyId: string | undefined, forMs: number) {
    const name = JSON.stringify([organizationId, from, to, apiKeyId])
    const known = kept.get(name)
    if (known && known.until > now()) return known.rows
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!)
    const match = {
      ...(organizationId !== null && { organizationId }),
      createdAt: { $gte: from, $lt: to },
      ...(apiKeyId !== undefined && { 'facts.intent.apiKeyId': apiKeyId }),
    }
    const rows = model.aggregate<Group>([{ $match: match }, grouped as never]).then((groups) => groups.map(rowOf))
    kept.set(name, { until: now() + forMs, rows })
    rows.catch(() => kept.delete(name))
    return rows
  }

  return {
    async rows(organizationId, from, to, apiKeyId) {
      const [start, end] = [Date.parse(from), Date.parse(to) + dayMs]
      const today = Math.floor(now() / dayMs) * dayMs
      const past = start < today ? ask(organizationId, start, Math.min(end, today), apiKeyId, keptMs.past) : []
      const current = end > today ? ask(organizationId, Math.max(start, today), end, apiKeyId, keptMs.today) : []
      return [...(await past), ...(await current)]
    },
  }
}

const rowOf = ({ _id, count, seconds, ...sums }: Group): UsageRow => ({
  date: _id.date,
  apiKeyId: _id.apiKeyId ?? null,
  fromChainId: _id.fromChainId,
  toChainId: _id.toChainId ?? null,
  token: _id.token,
  status: _id.status,
  count,
  amountInRaw: whole(sums.amountIn),
  protocolFeeRaw: whole(sums.protocolFee),
  protocolFeeForgivenRaw: whole(sums.forgiven),
  gasFeeRaw: whole(sums.gasFee),
  secondsToSuccess: Math.round((seconds ?? 0) / 1_000),
})

/** Sums come as 34 digits, large ones with an exponent. */
function whole(sum: unknown): bigint {
  const [, digits = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:E\+?(-?\d+))?$/.exec(String(sum)) ?? []
  const shift = Number(exponent) - fraction.length
  const all = BigInt(digits + fraction)
  return shift >= 0 ? all * 10n ** BigInt(shift) : all / 10n ** BigInt(-shift)
}
