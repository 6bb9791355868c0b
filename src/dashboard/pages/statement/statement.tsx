import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { queryOf } from '../../data/api'
import { deviceClock } from '../../data/device-clock'
import { download } from '../../data/download'
import { exact } from '../../data/format'
import { choicesOf, ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { useFilters } from '../../data/use-filters'
import { useRead } from '../../data/use-read'
import { DayFields } from '../../lists/day-fields'
import { Loaded, Unread } from '../../ui/loaded'
import { Bones, Empty, Note, Page } from '../../ui/parts'
import { useKeys } from '../keys/keys'
import {
  closingWords,
  csvOfStatement,
  monthName,
  monthsUntil,
  periodName,
  type Statement,
  totalsOf,
} from './statement-figures'
import { StatementTables } from './statement-tables'

const monthsMax = 24
/** In place of a month: the days that `since` and `until` name. */
const days = 'days'
const bones = (
  <div className="card empty-space">
    <Bones rows={8} height={26} />
  </div>
)

/** A month, or chosen days, of the organization from the ledger: deposits, fees, gas, deliveries and balances. */
export default function StatementPage() {
  const { organization } = useHere()
  const { parameters } = useFilters()
  const [thisMonth] = useState(() => monthsUntil(deviceClock(), 1)[0]!)
  const month = parameters.get('month') ?? thisMonth
  const [since, until] = [parameters.get('since') ?? '', parameters.get('until') ?? '']
  const isOfDays = month === days
  const apiKeyId = parameters.get('key')
  const selection = { ...(isOfDays ? { from: since, to: until } : { month }), apiKeyId }
  const period = isOfDays ? `${since}/${until}` : month
  const keys = useKeys()
  const isComplete = !isOfDays || (since !== '' && until !== '')
  const statement = useRead<Statement>(['statement', period, apiKeyId], `/statements${queryOf(selection)}`, {
    enabled: isComplete,
  })
  const token = parameters.get('token')
  const shown = ifLoaded(statement, (loaded) => ({ ...loaded, ...ofToken(loaded, token) }))
  const save = (chosen: Statement) => {
    const name = ['statement', period.replace('/', '_'), token, apiKeyId].filter(Boolean).join('-')
    download(`${name}.csv`, csvOfStatement(chosen))
  }
  return (
    <Page
      title={isComplete ? `Statement, ${periodName(period)}` : 'Statement'}
      lead={`${[organization.name, ...chosenOf(parameters, choicesOf(keys))].join(', ')}. Days are in UTC. A delivery is valued once, at the price when it arrived.`}
      actions={
        <>
          <Button variant="default" size="sm" disabled={!shown?.rows.length} onClick={() => shown && save(shown)}>
            Export CSV
          </Button>
          <Button variant="default" size="sm" onClick={() => window.print()}>
            Print
          </Button>
        </>
      }
    >
      <Choices
        month={month}
        tokens={ifLoaded(statement, ({ rows }) => rows.map(({ tokenSymbol }) => tokenSymbol))}
        keys={choicesOf(keys)}
      />
      <Unread of={keys} />
      {!isComplete && <Note>Choose the first and the last day.</Note>}
      <Loaded of={statement} bones={isComplete && bones}>
        {(loaded) => (
          <>
            <Final statement={loaded} />
            {loaded.rows.length === 0 ? (
              <div className="card">
                <Empty icon="chart" title={`No money moved in ${periodName(loaded.month)}`} />
              </div>
            ) : (
              <StatementTables {...ofToken(loaded, token)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What the statement is limited to, in words: a printed page shows no filters. */
const chosenOf = (parameters: URLSearchParams, keys: readonly KeyView[]): string[] => {
  const [token, keyId] = [parameters.get('token'), parameters.get('key')]
  return [
    ...(token === null ? [] : [`only ${token}`]),
    ...(keyId === null ? [] : [`only the API key ${keys.find(({ id }) => id === keyId)?.label ?? keyId}`]),
  ]
}

/** The rows of a token, on every chain, with their totals; all rows without one. */
const ofToken = ({ rows, totals }: Statement, token: string | null): Pick<Statement, 'rows' | 'totals'> => {
  const its = rows.filter(({ tokenSymbol }) => tokenSymbol === token)
  return token === null ? { rows, totals } : { rows: its, totals: totalsOf(its) }
}

type ChoicesProps = { month: string; tokens: readonly string[] | undefined; keys: readonly KeyView[] }
/** The period, the token and the key, stored in the URL. */
function Choices({ month, tokens, keys }: ChoicesProps) {
  const { parameters, put } = useFilters()
  const [months] = useState(() => monthsUntil(deviceClock(), monthsMax))
  const shown = month === days ? months : [...new Set([...months, month])]
  return (
    <div className="row no-print">
      <Select
        label="Period"
        data={[...shown.map((value) => ({ value, label: monthName(value) })), { value: days, label: 'Chosen days' }]}
        value={month}
        onChange={(value) => put('month', value, 'since', 'until')}
        searchable
        w={220}
      />
      <Select
        label="Token"
        placeholder="Any token"
        data={[...new Set(tokens)]}
        value={parameters.get('token')}
        onChange={(value) => put('token', value)}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear token' }}
        w={180}
      />
      <Select
        label="API key"
        placeholder="All keys"
        data={keys.map(({ id, label }) => ({ value: id, label }))}
        value={parameters.get('key')}
        onChange={(value) => put('key', value)}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear key' }}
        w={230}
      />
      {month === days && <DayFields />}
    </div>
  )
}

const Final = ({ statement }: { statement: Statement }) => (
  <Note tone={statement.isClosed ? 'ok' : 'warn'}>{closingWords(statement, exact(Date.parse(statement.asOf)))}</Note>
)
