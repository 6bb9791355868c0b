import { Link } from 'wouter'
import { BarPlot } from '../ui/bar-plot'
import { Bones, Card, Trouble } from '../ui/parts'
import { useUsage } from './quota-note'
import { dayName, daysBetween, figuresOf, groupedBy } from './usage-figures'

/** The last two weeks in bars. */
export function DayBars() {
  const usage = useUsage()
  const answer = usage.data
  const days = answer ? daysBetween(answer.from, answer.to).slice(-14) : []
  const byDay = groupedBy(answer?.rows ?? [], ({ date }) => date)
  const figures = days.map((day) => figuresOf(byDay.get(day) ?? []))
  const total = (what: 'succeeded' | 'failed') => figures.reduce((sum, each) => sum + each[what], 0)
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
          label={`Executions a day: ${total('succeeded')} succeeded, ${total('failed')} failed`}
          series={[
            { name: 'Succeeded', tone: 'ok', values: figures.map(({ succeeded }) => succeeded) },
            { name: 'Failed', tone: 'bad', values: figures.map(({ failed }) => failed) },
            { name: 'In flight', tone: 'info', values: figures.map(({ active }) => active) },
          ]}
        />
      ) : (
        <Bones rows={6} height={24} />
      )}
    </Card>
  )
}
