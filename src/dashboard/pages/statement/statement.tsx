import { Button, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, askFile, queryOf } from '../../data/api'
import { deviceClock } from '../../data/device-clock'
import { saveFile } from '../../data/download'
import { exact } from '../../data/format'
import { useHere } from '../../data/session'
import { useFilters } from '../../data/use-filters'
import { Known } from '../../ui/known'
import { Bones, Empty, Note, Page, Trouble } from '../../ui/parts'
import { closingWords, monthName, monthsUntil, type Statement } from './statement-figures'
import { StatementTables } from './statement-tables'

const monthsMax = 24
const bones = (
  <div className="card empty-space">
    <Bones rows={8} height={26} />
  </div>
)

/** A month of the organization from the ledger: deposits, fees, gas, deliveries and balances. */
export default function StatementPage() {
  const { organization } = useHere()
  const { parameters, put } = useFilters()
  const [months] = useState(() => monthsUntil(deviceClock(), monthsMax))
  const month = parameters.get('month') ?? months[0]!
  const statement = useQuery({
    queryKey: ['statement', organization.id, month],
    queryFn: () => ask<Statement>(`/statements${queryOf({ month })}`),
  })
  const save = useMutation({
    mutationFn: () => askFile(`/statements${queryOf({ month, format: 'csv' })}`),
    onSuccess: (file) => saveFile(`statement-${month}.csv`, file),
  })
  return (
    <Page
      title={`Statement, ${monthName(month)}`}
      lead={`${organization.name}. Days are in UTC. A delivery is valued once, at the price of its own time.`}
      actions={
        <>
          <Button variant="default" size="sm" loading={save.isPending} onClick={() => save.mutate()}>
            Export CSV
          </Button>
          <Button variant="default" size="sm" onClick={() => window.print()}>
            Print
          </Button>
        </>
      }
    >
      <Trouble error={save.error} />
      <Select
        className="no-print"
        label="Month"
        data={[...new Set([...months, month])].map((value) => ({ value, label: monthName(value) }))}
        value={month}
        onChange={(value) => put('month', value)}
        allowDeselect={false}
        searchable
        w={220}
      />
      <Known of={statement} bones={bones}>
        {(known) => (
          <>
            <Final statement={known} />
            {known.rows.length === 0 ? (
              <div className="card">
                <Empty icon="chart" title={`No money moved in ${monthName(known.month)}`} />
              </div>
            ) : (
              <StatementTables statement={known} />
            )}
          </>
        )}
      </Known>
    </Page>
  )
}

const Final = ({ statement }: { statement: Statement }) => (
  <Note tone={statement.isClosed ? 'ok' : 'warn'}>{closingWords(statement, exact(Date.parse(statement.asOf)))}</Note>
)
