import { chainName, dayName, dollars, duration, grouped, percent, usd } from '../../data/format'
import { BarPlot } from '../../ui/bar-plot'
import { Card, Empty, Tile } from '../../ui/parts'
import { Table } from '../../ui/table'
import {
  datesBetween,
  figuresOf,
  groupedBy,
  inCents,
  meanSeconds,
  perDay,
  type RoutesAnswer,
  sumOf,
  sumOfFigures,
  type UsageAnswer,
  type UsageDay,
} from './usage-figures'

type Props = { answer: UsageAnswer; routes: RoutesAnswer }

/** The figures as tiles, plots and tables. */
export const UsageFigures = ({ answer, routes }: Props) => (
  <>
    <UsageTiles answer={answer} routes={routes} />
    <Quota quota={answer.quota} />
    {answer.days.length === 0 ? (
      <div className="card">
        <Empty icon="chart" title="Nothing in this period">
          <p>An execution counts on the day it began.</p>
        </Empty>
      </div>
    ) : (
      <>
        <UsagePlots answer={answer} routes={routes} />
        <UsageSplits answer={answer} routes={routes} />
      </>
    )}
  </>
)

function UsageTiles({ answer: { days: rows }, routes }: Props) {
  const { executions, succeeded, failed, volume, fees } = sumOfFigures(routes.rows.map(figuresOf))
  const mean = meanSeconds(routes.rows)
  const gas = sumOf(rows, ({ gasFeeUsd }) => Number(gasFeeUsd))
  const forgiven = sumOf(rows, ({ protocolFeeForgivenUsd }) => Number(protocolFeeForgivenUsd))
  return (
    <div className="grid4">
      <Tile
        what="Executions"
        value={grouped(executions)}
        more={`${percent(succeeded, succeeded + failed)} delivered`}
      />
      <Tile what="Volume routed" value={dollars(inCents([volume])[0]!)} more={`Gas ${usd(gas)}`} />
      <Tile what="Fees collected" value={dollars(inCents([fees])[0]!)} more={`${usd(forgiven)} forgiven`} />
      <Tile
        what="Time to delivery"
        value={mean === null ? 'None yet' : duration(1_000 * mean)}
        more="Average, from first sighting"
      />
    </div>
  )
}

function UsagePlots({ answer: { days: rows, from, to }, routes }: Props) {
  const days = datesBetween(from, to)
  const labels = days.map(dayName)
  const each = (what: (row: UsageDay) => number) => perDay(days, rows, what)
  const secondsOf = (day: string) => meanSeconds(routes.rows.filter(({ date }) => date === day))
  const { succeeded, failed } = sumOfFigures(routes.rows.map(figuresOf))
  return (
    <div className="grid2">
      <Card title="Executions per day">
        <BarPlot
          labels={labels}
          label={`Executions per day: ${succeeded} succeeded, ${failed} failed`}
          series={[
            { name: 'Succeeded', tone: 'ok', values: each((row) => row.succeeded) },
            { name: 'Failed', tone: 'bad', values: each((row) => row.failed) },
            { name: 'In flight', tone: 'info', values: each((row) => row.active) },
          ]}
        />
      </Card>
      <Card title="Volume per day">
        <BarPlot
          labels={labels}
          label="Volume per day in USD"
          format={axisDollars}
          series={[{ name: 'USD', tone: 'info', values: each((row) => Number(row.volumeUsd)) }]}
        />
      </Card>
      <Card title="Average time to delivery">
        <BarPlot
          labels={labels}
          label="Average seconds to delivery per day"
          format={seconds}
          series={[{ name: 'Seconds', tone: 'ok', values: days.map(secondsOf) }]}
        />
      </Card>
      <Card title="Requests per day">
        <BarPlot
          labels={labels}
          label="API requests per day"
          series={[
            { name: 'Answered', tone: 'info', values: each((row) => row.requests - row.requestErrors) },
            { name: 'Refused', tone: 'warn', values: each((row) => row.requestErrors) },
          ]}
        />
      </Card>
    </div>
  )
}

function UsageSplits({ answer: { days: rows }, routes }: Props) {
  const labelOf = new Map(rows.map(({ apiKeyId, apiKeyLabel }) => [apiKeyId ?? '', apiKeyLabel ?? apiKeyId]))
  const chainsOf = (key: string): string[] => key.split('>').map((end) => (end ? chainName(end) : 'no target'))
  return (
    <div className="grid2">
      <Split
        title="By API key"
        groups={groupedBy(routes.rows, ({ apiKeyId }) => apiKeyId ?? '')}
        nameOf={(id) => labelOf.get(id) ?? 'No intent'}
      />
      <Split
        title="By route"
        groups={groupedBy(routes.rows, ({ fromChainKey, toChainKey }) => `${fromChainKey}>${toChainKey ?? ''}`)}
        nameOf={(key) => chainsOf(key).join(' → ')}
      />
    </div>
  )
}

const seconds = (value: number): string => `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} s`

const axisDollars = (value: number): string =>
  value >= 1_000 ? `$${Math.round(value / 100) / 10}k` : `$${Math.round(value)}`

function Quota({ quota }: { quota: UsageAnswer['quota'] }) {
  const { limit, used, resetsAt } = quota
  const share = limit ? Math.min(used / limit, 1) : limit === 0 ? 1 : 0
  const tone = share >= 1 && limit !== null ? 'bad' : share >= 0.8 ? 'warn' : 'ok'
  return (
    <Card
      title="This month’s quota"
      side={<span className="sub small">Starts again on {dayName(resetsAt.slice(0, 10))} (UTC)</span>}
    >
      <div className="stack tight">
        <div className="row apart">
          <span className="strong num">
            {grouped(used)} {limit === null ? 'executions, no limit' : `of ${grouped(limit)} executions`}
          </span>
          {limit !== null && (
            <span className={`pill t-${tone}`}>{limit === 0 ? 'Used up' : `${Math.round(share * 100)} %`}</span>
          )}
        </div>
        {limit !== null && (
          <div className={`meter t-${tone}`} role="img" aria-label={`${Math.round(share * 100)} % of the quota used`}>
            <i style={{ width: `${share * 100}%` }} />
          </div>
        )}
        <p className="sub tiny">Only routed executions count towards the quota.</p>
      </div>
    </Card>
  )
}

type SplitProps = {
  title: string
  groups: Map<string, RoutesAnswer['rows']>
  nameOf: (key: string) => string
}
const shownMax = 12

/** The largest groups, and the others as one row, so the table adds up to the tiles. */
function Split({ title, groups: given, nameOf }: SplitProps) {
  const groups = [...given]
    .map(([key, group]) => ({ key, name: nameOf(key), ...sumOfFigures(group.map(figuresOf)) }))
    .toSorted((a, b) => b.executions - a.executions)
  const others = groups.slice(shownMax)
  const rows = [
    ...groups.slice(0, shownMax),
    ...(others.length > 0 ? [{ key: 'others', name: `${others.length} others`, ...sumOfFigures(others) }] : []),
  ]
  const [volumes, fees] = [inCents(rows.map(({ volume }) => volume)), inCents(rows.map((row) => row.fees))]
  const what = title.replace('By ', '').replace(/^./, (first) => first.toUpperCase())
  return (
    <Card title={title}>
      <Table
        label={title}
        kind="folds tight"
        heads={[what, ...['Executions', 'Success', 'Volume', 'Fees'].map((right) => ({ right }))]}
      >
        {rows.map(({ key, name, executions, succeeded, failed }, n) => (
          <tr key={key}>
            <td className="cut whole">{name}</td>
            <td className="right num to-left" data-label="Executions">
              {grouped(executions)}
            </td>
            <td className="right num to-right" data-label="Success">
              {percent(succeeded, succeeded + failed)}
            </td>
            <td className="right num to-left" data-label="Volume">
              {dollars(volumes[n]!)}
            </td>
            <td className="right num to-right" data-label="Fees">
              {dollars(fees[n]!)}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}
