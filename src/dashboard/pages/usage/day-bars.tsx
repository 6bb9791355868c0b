import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { dayName } from '../../data/format'
import { BarPlot } from '../../ui/bar-plot'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { useUsage } from './quota-note'
import { dateBefore, datesBetween, perDay, sumOf, type UsageAnswer } from './usage-figures'

/** The last two weeks in bars. */
export function DayBars() {
  const usage = useUsage(queryOf({ from: dateBefore(14) }))
  return (
    <Card
      title="Executions, last 14 days"
      side={
        <Link href="/usage" className="small">
          Usage
        </Link>
      }
    >
      <Loaded of={usage} bones={<Bones rows={6} height={24} />}>
        {(answer) => <Bars answer={answer} />}
      </Loaded>
    </Card>
  )
}

function Bars({ answer: { days: rows, from, to } }: { answer: UsageAnswer }) {
  const days = datesBetween(from, to)
  const total = (what: 'succeeded' | 'failed') => sumOf(rows, (row) => row[what])
  return (
    <BarPlot
      height={330}
      labels={days.map(dayName)}
      label={`Executions per day: ${total('succeeded')} succeeded, ${total('failed')} failed`}
      series={[
        { name: 'Succeeded', tone: 'ok', values: perDay(days, rows, ({ succeeded }) => succeeded) },
        { name: 'Failed', tone: 'bad', values: perDay(days, rows, ({ failed }) => failed) },
        { name: 'In flight', tone: 'info', values: perDay(days, rows, ({ active }) => active) },
      ]}
    />
  )
}
