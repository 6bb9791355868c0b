import { Button, Select } from '@mantine/core'
import { Link } from 'wouter'
import { csvOf } from '../../../domain/plain-text'
import { queryOf } from '../../data/api'
import { download } from '../../data/download'
import { allOf, ifLoaded } from '../../data/read'
import { useFilters } from '../../data/use-filters'
import { DayFields } from '../../lists/day-fields'
import { Loaded } from '../../ui/loaded'
import { Bones, Note, Page } from '../../ui/parts'
import { QuotaNote, useRoutes, useUsage } from './quota-note'
import type { RoutesAnswer, UsageAnswer, UsageDay } from './usage-figures'
import { UsageFigures } from './usage-panel'
import { daysOf } from './usage-span'

const spans = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'days', label: 'Chosen days' },
]

const noKeys: RoutesAnswer['keys'] = []
const bones = (
  <div className="card empty-space">
    <Bones rows={8} height={26} />
  </div>
)

/** Volume, fees, success rate and speed. */
export default function Usage() {
  const { parameters, put } = useFilters()
  const span = parameters.get('days') ?? '30'
  const apiKeyId = parameters.get('key')
  const days = daysOf(parameters)
  const query = days && queryOf({ ...days, apiKeyId })
  const [usage, routes] = [useUsage(query), useRoutes(query)]
  const answer = usage.data
  return (
    <Page
      title="Usage"
      lead={
        <>
          Days are in UTC. USD amounts are estimates at the providers’ prices of today. The{' '}
          <Link href="/statement">statement</Link> has the accounting figures.
        </>
      }
      actions={
        <Button
          variant="default"
          size="sm"
          disabled={!answer || answer.days.length === 0}
          onClick={() => answer && exportUsage(answer)}
        >
          Export CSV
        </Button>
      }
    >
      <QuotaNote />
      <div className="row">
        <Select
          label="Period"
          data={spans}
          value={span}
          onChange={(value) => put('days', value, 'since', 'until')}
          w={170}
        />
        <Select
          label="API key"
          placeholder="All keys"
          data={(ifLoaded(routes, ({ keys }) => keys) ?? noKeys).map(({ id, label }) => ({ value: id, label }))}
          value={apiKeyId}
          onChange={(value) => put('key', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear key' }}
          w={230}
        />
        {span === 'days' && <DayFields />}
      </div>
      {!query && <Note>Choose the first and the last day, at most 92 days.</Note>}
      <Loaded of={allOf(usage, routes)} bones={query && bones}>
        {([days, byRoute]) => <UsageFigures answer={days} routes={byRoute} />}
      </Loaded>
    </Page>
  )
}

function exportUsage({ days, from, to }: UsageAnswer): void {
  const names = Object.keys(days[0]!) as (keyof UsageDay)[]
  download(`usage-${from}-${to}.csv`, csvOf([names, ...days.map((day) => names.map((name) => day[name]))]))
}
