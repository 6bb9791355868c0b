import type { Connection } from 'mongoose'
import { aged } from '../../../domain/aged'
import type { DepositCount, UsageQueries, UsageRow } from '../../../ports/limits'
import { hasEnded, isOpen } from '../collections/execution-indexes'
import { executionModel } from '../collections/execution-model'

const dayMs = 86_400_000
/** How long repeated responses are cached, in milliseconds. Past days seldom change. */
const cachedMs = { past: 300_000, today: 2_000 } as const
const cachedMax = 100

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
  sponsored: unknown
  seconds: number | null
}

const sumOf = (path: string) => ({ $sum: { $toDecimal: { $ifNull: [path, '0'] } } })

/**
 * The amount that arrived, as `arrivedRawOf` computes it for one record: the verified balance if rounding left less
 * than was sent.
 */
const arrived = {
  $min: [
    { $toDecimal: '$deposit.amountRaw' },
    { $toDecimal: { $ifNull: ['$facts.balance.totalReceivedRaw', '$deposit.amountRaw'] } },
  ],
}

const dayOfField = (path: string) => ({ $dateToString: { format: '%Y-%m-%d', date: { $toDate: path } } })

const grouped = {
  $group: {
    _id: {
      date: dayOfField('$createdAt'),
      apiKeyId: '$facts.intent.apiKeyId',
      fromChainId: '$deposit.chainId',
      toChainId: '$facts.intent.targetChainId',
      token: '$deposit.token',
      status: '$status',
    },
    count: { $sum: 1 },
    amountIn: { $sum: arrived },
    protocolFee: sumOf('$facts.fees.protocolFeeEffective'),
    forgiven: sumOf('$facts.fees.protocolFeeForgiven'),
    gasFee: sumOf('$facts.fees.gasFeeRaw'),
    sponsored: sumOf('$facts.sponsoredMicroUsd'),
    seconds: {
      $sum: {
        $cond: [{ $eq: ['$status', 'SUCCESS'] }, { $subtract: ['$completedAt', '$deposit.detectedAt'] }, 0],
      },
    },
  },
}

/** Counts deposits by their first execution: a re-drive or a refund belongs to a deposit that is already counted. */
const seen = {
  $group: { _id: { date: dayOfField('$deposit.detectedAt'), apiKeyId: '$facts.intent.apiKeyId' }, count: { $sum: 1 } },
}
type DayCount = { _id: { date: string; apiKeyId?: string | null }; count: number }

/** One query for both indexes, because an execution that ends between two of them would count twice. */
const inEither = (filter: object) => ({ $or: [isOpen, hasEnded].map((part) => ({ ...filter, ...part })) })

type UsageQuery = { organizationId: string | null; apiKeyId: string | undefined; from: number; to: number }

export function mongoUsageQueries(connection: Connection, now: () => number): UsageQueries {
  const model = executionModel(connection)

  const executionsOf = (match: object, span: object): Promise<UsageRow[]> =>
    model
      .aggregate<Group>([
        { $match: inEither({ ...match, createdAt: span, 'deposit.detectedAt': { $gte: 0 } }) },
        grouped as never,
      ])
      .then((groups) => groups.map(rowOf))
  const depositsOf = (match: object, span: object): Promise<DepositCount[]> =>
    model
      .aggregate<DayCount>([
        { $match: inEither({ ...match, 'deposit.detectedAt': span, redriveOf: null, refundOf: null }) },
        seen as never,
      ])
      .then((groups) =>
        groups.map(({ _id: { date, apiKeyId }, count }) => ({ date, apiKeyId: apiKeyId ?? null, count })),
      )

  function keeping<Row>(read: (match: object, span: object) => Promise<Row[]>) {
    const ask = ({ organizationId, apiKeyId, from, to }: UsageQuery): Promise<Row[]> => {
      const match = {
        ...(organizationId !== null && { organizationId }),
        ...(apiKeyId !== undefined && { 'facts.intent.apiKeyId': apiKeyId }),
      }
      return read(match, { $gte: from, $lt: to })
    }
    const keyOf = ({ organizationId, apiKeyId, from, to }: UsageQuery) =>
      JSON.stringify([organizationId, from, to, apiKeyId])
    const shared = { now, from: 'START', keyOf, most: cachedMax } as const
    const ofPast = aged(ask, { ...shared, forMs: cachedMs.past })
    const ofToday = aged(ask, { ...shared, forMs: cachedMs.today })
    return async (organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<Row[]> => {
      const filter = { organizationId, apiKeyId }
      const [start, end] = [Date.parse(from), Date.parse(to) + dayMs]
      const today = Math.floor(now() / dayMs) * dayMs
      const past = start < today ? ofPast.get({ ...filter, from: start, to: Math.min(end, today) }) : []
      const current = end > today ? ofToday.get({ ...filter, from: Math.max(start, today), to: end }) : []
      return [...(await past), ...(await current)]
    }
  }

  return { rows: keeping(executionsOf), deposits: keeping(depositsOf) }
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
  sponsoredMicroUsd: whole(sums.sponsored),
  secondsToSuccess: Math.round((seconds ?? 0) / 1_000),
})

/** Sums have up to 34 digits, and large ones have an exponent. */
function whole(sum: unknown): bigint {
  const [, digits = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:E\+?(-?\d+))?$/.exec(String(sum)) ?? []
  const shift = Number(exponent) - fraction.length
  const all = BigInt(digits + fraction)
  return shift >= 0 ? all * 10n ** BigInt(shift) : all / 10n ** BigInt(-shift)
}
