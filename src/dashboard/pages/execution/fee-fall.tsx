import type { FeesView } from '../../../http/views/execution-full'
import { amount } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'
import { Card } from '../../ui/parts'

type Fees = typeof FeesView.infer
/** A simulation lacks the fields that only an execution's fees have. */
type Split = Omit<Fees, 'protocolFeeRaw' | 'collected'> & Partial<Pick<Fees, 'collected'>>

const skipped: Record<string, string> = {
  SPONSORED: 'paid by the platform',
  ESTIMATION_FAILED: 'could not be estimated, so none is taken',
}

type FallProps = {
  fees: Split
  decimals: number | null
  symbol: string
  /** The execution ended before anything left the account, so the division never happened. */
  isHypothetical?: boolean
}

/** How a deposit is divided: first the gas fee, then the protocol fee; the rest is routed. */
export function Fall({ fees, decimals, symbol, isHypothetical = false }: FallProps) {
  const total = Number(fees.totalReceivedRaw)
  const share = (raw: string): number => (total > 0 ? Math.max(Math.min((100 * Number(raw)) / total, 100), 0) : 0)
  const routed = share(fees.amountForSwapRaw)
  const fee = share(fees.protocolFeeEffective)
  const rows = [
    { what: 'Received', raw: fees.totalReceivedRaw, from: 0, size: 100, tone: 'mute', note: null },
    {
      what: isHypothetical ? 'Gas would have been' : 'Gas',
      raw: fees.gasFeeRaw,
      from: 100 - share(fees.gasFeeRaw),
      size: share(fees.gasFeeRaw),
      tone: isHypothetical ? 'mute' : 'warn',
      note: skipped[fees.gasFeeSkipReason],
    },
    {
      what: isHypothetical ? 'Protocol fee would have been' : 'Protocol fee',
      raw: fees.protocolFeeEffective,
      from: routed,
      size: fee,
      tone: isHypothetical ? 'mute' : 'info',
      note: null,
    },
    {
      what: isHypothetical ? 'Would have been routed' : 'Routed',
      raw: fees.amountForSwapRaw,
      from: 0,
      size: routed,
      tone: fees.amountForSwapRaw.startsWith('-') ? 'bad' : isHypothetical ? 'mute' : 'ok',
      note: null,
    },
  ]
  return (
    <div className="fall">
      {rows.map(({ what, raw, from, size, tone, note }) => (
        <div key={what} className={`bar-row t-${tone}`}>
          <span>
            {what}
            {note && <span className="sub tiny"> ({note})</span>}
          </span>
          <div className="track" aria-hidden="true">
            {size > 0 && <i style={{ left: `${Math.min(from, 99)}%`, width: `${size}%` }} />}
          </div>
          <span className="much strong" title={`${raw} atomic units`}>
            {amount(raw, decimals)} {symbol}
          </span>
        </div>
      ))}
      {fees.protocolFeeForgiven !== '0' && (
        <p className="sub small">
          {amount(fees.protocolFeeForgiven, decimals)} {symbol} of the protocol fee are forgiven, because gas is
          deducted first.
        </p>
      )}
    </div>
  )
}

export function FeeFall({ execution }: { execution: ExecutionDetail }) {
  const { fees, fromTokenDecimals, fromTokenSymbol, toTokenDecimals, toTokenSymbol, funds, amountOutExpected } =
    execution
  // The execution ended and its money did not move, so no fee will be collected.
  const isOver = execution.completedAt !== null && fees?.collected === false
  const arrived = funds.holder === 'RECIPIENT' ? funds : null
  return (
    <Card
      title="Fees"
      side={
        fees && (
          <span className="sub tiny">
            {fees.collected ? 'collected on chain' : isOver ? 'nothing was taken' : 'not collected yet'}
          </span>
        )
      }
    >
      {fees ? (
        <div className="stack">
          <Fall fees={fees} decimals={fromTokenDecimals} symbol={fromTokenSymbol} isHypothetical={isOver} />
          {!isOver && (
            <p className="small">
              {arrived ? 'Delivered ' : 'Expected to arrive: '}
              <span className="strong num">
                {arrived
                  ? `${amount(arrived.amount, arrived.tokenDecimals)} ${arrived.tokenSymbol}`
                  : `${amount(amountOutExpected, toTokenDecimals)} ${toTokenSymbol}`}
              </span>
            </p>
          )}
        </div>
      ) : (
        <p className="sub small">Fees are calculated when a route is found. Nothing is taken before that.</p>
      )}
    </Card>
  )
}
