import { Button, Select } from '@mantine/core'
import { queryOf } from '../api'
import { csvOf, download } from '../download'
import { Bones, Page, Trouble } from '../ui/parts'
import { useFilters } from '../use-filters'
import { QuotaNote, useUsage } from './quota-note'
import type { UsageAnswer, UsageRow } from './usage-figures'
import { UsageShown } from './usage-shown'

const spans = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
]
const dayMs = 86_400_000
const dateBefore = (days: number): string => new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10)

/** What went through, what it earned, how well and how fast. */
export default function Usage() {
  const { parameters, put } = useFilters()
  const span = parameters.get('days') ?? '30'
  const apiKeyId = parameters.get('key')
  const usage = useUsage(span === '30' && !apiKeyId ? '' : queryOf({ from: dateBefore(Number(span)), apiKeyId }))
  const answer = usage.data
  return (
    <Page
      title="Usage"
      lead="Days are in UTC. Amounts in USD are estimates at today’s provider prices, not accounting figures."
      actions={
        <Button
          variant="default"
          size="sm"
          disabled={!answer || answer.rows.length === 0}
          onClick={() => answer && exportUsage(answer)}
        >
          Export CSV
        </Button>
      }
    >
      <QuotaNote />
      <div className="row">
        <Select
          label="Time"
          data={spans}
          value={span}
          onChange={(value) => put('days', value)}
          allowDeselect={false}
          w={170}
        />
        <Select
          label="API key"
          placeholder="All keys"
          data={(answer?.keys ?? []).map(({ id, label }) => ({ value: id, label }))}
          value={apiKeyId}
          onChange={(value) => put('key', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear key' }}
          w={230}
        />
      </div>
      <Trouble error={usage.error} retry={() => void usage.refetch()} />
      {answer ? (
        <UsageShown answer={answer} />
      ) : (
        !usage.error && (
          <div className="card empty-space">
            <Bones rows={8} height={26} />
          </div>
        )
      )}
    </Page>
  )
}

function exportUsage({ rows, from, to }: UsageAnswer): void {
  const names = Object.keys(rows[0]!) as (keyof UsageRow)[]
  download(`usage-${from}-${to}.csv`, csvOf([names, ...rows.map((row) => names.map((name) => row[name]))]))
}
