import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { BarPlot } from '../../ui/bar-plot'
import { Bones, Card, Trouble } from '../../ui/parts'
import { useUsage } from './quota-note'
import { dateBefore, datesBetween, dayName, groupedBy, sumOf, type UsageDay } from './usage-figures'

/** The last two weeks in bars. */
export function DayBars() {
  const usage = useUsage(queryOf({ from: dateBefore(14) }))
  const answer = usage.data
  const days = answer ? datesBetween(answer.from, answer.to) : []
  const byDay = groupedBy(answer?.days ?? [], ({ date }) => date)
  const each = (what: (row: UsageDay) => number) => days.map((day) => sumOf(byDay.get(day) ?? [], what))
  const total = (what: 'succeeded' | 'failed') => sumOf(answer?.days ?? [], (row) => row[what])
  return (
    <Card
      title="Executions, last 14 days"
      side={
        <Link href="/usage" className="small">
          Usage
        </Link>
      }
    >
      <Trouble error={usage.error} retry={() => void usage.refetch()} />
      {answer ? (
        <BarPlot
          height={330}
          labels={days.map(dayName)}
          label={`Executions per day: ${total('succeeded')} succeeded, ${total('failed')} failed`}
          series={[
            { name: 'Succeeded', tone: 'ok', values: each(({ succeeded }) => succeeded) },
            { name: 'Failed', tone: 'bad', values: each(({ failed }) => failed) },
            { name: 'In flight', tone: 'info', values: each(({ active }) => active) },
          ]}
        />
      ) : (
        <Bones rows={6} height={24} />
      )}
    </Card>
  )
}
