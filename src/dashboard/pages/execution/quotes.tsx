import { providerName } from '../../../domain/execution/provider'
import { amount, duration, words } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'
import { Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { wrongNow } from '../executions/wrong-now'

const tones: Record<string, string> = {
  CHOSEN: 'ok',
  NOT_BEST: 'mute',
  OUTSIDE_POLICY: 'warn',
  REFUSED: 'bad',
  NO_ROUTE: 'bad',
  NO_ANSWER: 'bad',
}

/** The quotes of the last attempt, and why one was chosen. */
export function Quotes({ execution }: { execution: ExecutionDetail }) {
  const { quotes, policy, toTokenDecimals, toTokenSymbol } = execution
  const out = (raw: string | null) => (raw === null ? '–' : amount(raw, toTokenDecimals))
  const time = (seconds: number | null) => (seconds === null ? '–' : duration(seconds * 1_000))
  return (
    <Card title="Quotes considered" side={quotes.length > 0 && <span className="sub tiny">last attempt</span>}>
      {quotes.length === 0 ? (
        <p className="sub small">{whyWithoutQuotes(execution)}</p>
      ) : (
        <Table
          label="Quotes"
          heads={['Provider', { right: 'Expected' }, { right: 'At least' }, { right: 'Time' }, 'Outcome']}
        >
          {quotes.map(
            ({ provider, amountOutExpected, amountOutMin, expectedSeconds, hops, outcome, reason, quotedAt }) => (
              <tr key={`${provider}${quotedAt}${amountOutExpected}`} title={reason ?? undefined}>
                <td>
                  {providerName(provider)}
                  {hops !== null && (
                    <span className="sub tiny">
                      {' '}
                      {hops} {hops === 1 ? 'hop' : 'hops'}
                    </span>
                  )}
                </td>
                <td className="right num">
                  {amountOutExpected === null ? '–' : amount(amountOutExpected, toTokenDecimals)}
                </td>
                <td className="right num">{out(amountOutMin)}</td>
                <td className="right num">{time(expectedSeconds)}</td>
                <td>
                  <span className={`pill t-${tones[outcome] ?? 'mute'}`}>{words(outcome)}</span>
                  {reason && <div className="sub tiny">{reason}</div>}
                </td>
              </tr>
            ),
          )}
        </Table>
      )}
      <p className="sub tiny" style={{ marginTop: 10 }}>
        Amounts in {toTokenSymbol}. Limits: slippage {policy.slippageBps / 100} %, output at least{' '}
        {policy.minOutputBps / 100} %, {duration(policy.maxDurationSeconds * 1_000)}, {policy.maxHops} hops.
      </p>
    </Card>
  )
}

type QuotelessExecution = Pick<ExecutionDetail, 'status' | 'cause' | 'updatedAt'> & {
  history: readonly { to: string }[]
}

/** Causes that end an execution before any quote is requested. */
const beforeAsking = new Set(['MONTHLY_QUOTA_REACHED', 'FEES_EXCEED_DEPOSIT'])

/** Explains missing quotes: none was requested, no provider could respond, or none made an offer. */
export function whyWithoutQuotes(execution: QuotelessExecution): string {
  const { history } = execution
  const cause = wrongNow(execution)
  if (!history.some(({ to }) => to === 'finding route')) return 'No quote was requested.'
  if (cause && beforeAsking.has(cause.code)) return 'No quote was requested.'
  const isFailure = cause?.code.startsWith('PROVIDER_')
  return isFailure
    ? `No quotes: ${cause!.message[0]!.toLowerCase()}${cause!.message.slice(1)}`
    : 'No provider made an offer.'
}
