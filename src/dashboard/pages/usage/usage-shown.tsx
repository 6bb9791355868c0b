import { chainName, duration, grouped, percent, usd } from '../../data/format'
import { BarPlot } from '../../ui/bar-plot'
import { Card, Empty, Tile } from '../../ui/parts'
import { Table } from '../../ui/table'
import {
  datesBetween,
  dayName,
  type Figures,
  figuresOfDay,
  figuresOfRoute,
  groupedBy,
  meanSeconds,
  type RoutesAnswer,
  sumOf,
  sumOfFigures,
  type UsageAnswer,
  type UsageDay,
} from './usage-figures'

type Props = { answer: UsageAnswer; routes: RoutesAnswer }

/** The figures as tiles, plots and tables. */
export const UsageShown = ({ answer, routes }: Props) => (
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
  const { executions, succeeded, failed, volumeUsd, feesUsd } = sumOfFigures(rows.map(figuresOfDay))
  const mean = meanSeconds(routes.rows)
  const gas = sumOf(rows, ({ gasFeeUsd }) => Number(gasFeeUsd))
  const forgiven = sumOf(rows, ({ protocolFeeForgivenUsd }) => Number(protocolFeeForgivenUsd))
  return (
    <div className="grid4">
      <Tile
        what="Executions"
        value={grouped(executions)}
        more={`${percent(succeeded, succeeded + failed)} ended in SUCCESS`}
      />
      <Tile what="Volume routed" value={usd(volumeUsd)} more={`Gas ${usd(gas)}`} />
      <Tile what="Fees collected" value={usd(feesUsd)} more={`${usd(forgiven)} forgiven`} />
      <Tile
        what="Time to SUCCESS"
        value={mean === null ? 'None yet' : duration(1_000 * mean)}
        more="Average, from first sighting"
      />
    </div>
  )
}

function UsagePlots({ answer: { days: rows, from, to }, routes }: Props) {
  const days = datesBetween(from, to)
  const labels = days.map(dayName)
  const byDay = groupedBy(rows, ({ date }) => date)
  const routesByDay = groupedBy(routes.rows, ({ date }) => date)
  const each = (what: (row: UsageDay) => number) => days.map((day) => sumOf(byDay.get(day) ?? [], what))
  const { succeeded, failed } = sumOfFigures(rows.map(figuresOfDay))
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
          format={dollars}
          series={[{ name: 'USD', tone: 'info', values: each((row) => Number(row.volumeUsd)) }]}
        />
      </Card>
      <Card title="Mean time to SUCCESS">
        <BarPlot
          labels={labels}
          label="Mean seconds to SUCCESS per day"
          format={seconds}
          series={[
            { name: 'Seconds', tone: 'ok', values: days.map((day) => meanSeconds(routesByDay.get(day) ?? []) ?? 0) },
          ]}
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
        groups={groupedBy(rows, ({ apiKeyId }) => apiKeyId ?? '')}
        figuresOf={figuresOfDay}
        nameOf={(id) => labelOf.get(id) ?? 'No intent'}
      />
      <Split
        title="By route"
        groups={groupedBy(routes.rows, ({ fromChainKey, toChainKey }) => `${fromChainKey}>${toChainKey ?? ''}`)}
        figuresOf={figuresOfRoute}
        nameOf={(key) => chainsOf(key).join(' → ')}
      />
    </div>
  )
}

const seconds = (value: number): string => `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} s`

const dollars = (value: number): string =>
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

type SplitProps<Row> = {
  title: string
  groups: Map<string, Row[]>
  figuresOf: (row: Row) => Figures
  nameOf: (key: string) => string
}
function Split<Row>({ title, groups: found, figuresOf, nameOf }: SplitProps<Row>) {
  const groups = [...found]
    .map(([key, group]) => ({ key, ...sumOfFigures(group.map(figuresOf)) }))
    .toSorted((a, b) => b.executions - a.executions)
  const what = title.replace('By ', '').replace(/^./, (first) => first.toUpperCase())
  return (
    <Card title={title}>
      <Table
        label={title}
        kind="folds tight"
        heads={[what, ...['Executions', 'Success', 'Volume', 'Fees'].map((right) => ({ right }))]}
      >
        {groups.slice(0, 12).map(({ key, executions, succeeded, failed, volumeUsd, feesUsd }) => (
          <tr key={key}>
            <td className="cut whole">{nameOf(key)}</td>
            <td className="right num to-left" data-label="Executions">
              {grouped(executions)}
            </td>
            <td className="right num to-right" data-label="Success">
              {percent(succeeded, succeeded + failed)}
            </td>
            <td className="right num to-left" data-label="Volume">
              {usd(volumeUsd)}
            </td>
            <td className="right num to-right" data-label="Fees">
              {usd(feesUsd)}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}
