import { MultiSelect, Select } from '@mantine/core'
import { errorCodes } from '../../../domain/error'
import { statusNames } from '../../../domain/execution/status'
import { capital, chainName, short, words } from '../../data/format'
import { choicesOf } from '../../data/read'
import { stateName } from '../../data/state-name'
import { Filters } from '../../lists/filters'
import { OrderFilter } from '../../lists/order-filter'
import { PeriodFilter } from '../../lists/period-filter'
import { SearchBox } from '../../ui/search-box'
import { type Token, useTokens } from '../intents/tokens'
import { chainOptions } from './execution-filter'

type Props = { parameters: URLSearchParams; put: (name: string, value: string | null) => void }

/** The filters of the list, all stored in the URL. */
export function ExecutionFilters({ parameters, put }: Props) {
  const tokens = choicesOf(useTokens())
  const one = (name: string, label: string, placeholder: string, data: { value: string; label: string }[]) => (
    <Select
      label={label}
      placeholder={placeholder}
      data={data}
      value={parameters.get(name)}
      onChange={(value) => put(name, value)}
      searchable={data.length > 6}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
    />
  )
  return (
    <Filters label="Filter executions" kind="is-executions">
      <SearchBox
        placeholder="Id, user, address or hash"
        value={parameters.get('q') ?? ''}
        onSearch={(searchText) => put('q', searchText)}
      />
      <MultiSelect
        label="Status"
        placeholder={parameters.get('status') ? '' : 'Any status'}
        data={statusOptions}
        value={parameters.get('status')?.split(',') || []}
        onChange={(values) => put('status', values.join(','))}
        clearable
        searchable
        hidePickedOptions
        clearButtonProps={{ 'aria-label': 'Clear status' }}
      />
      {one('cause', 'Last failure', 'Any', causes)}
      <PeriodFilter label="Created" />
      {one('from', 'From', 'Any chain', chainOptions)}
      {one('to', 'To', 'Any chain', chainOptions)}
      {one('token', 'Token', 'Any token', tokenOptions(tokens, parameters))}
      <OrderFilter />
    </Filters>
  )
}

const statusOptions = statusNames.map((value) => ({ value, label: stateName(value) }))
const causes = errorCodes.map((code) => ({ value: code, label: capital(words(code)) }))

/** Returns the tokens to choose from. Each address is listed once, since native coin has the same one on all chains. */
function tokenOptions(tokens: readonly Token[], parameters: URLSearchParams) {
  const from = parameters.get('from')
  const chosen = parameters.get('token')
  const offered = tokens.filter(({ chainKey }) => from === null || chainKey === from)
  const byAddress = Map.groupBy(offered, ({ tokenAddress }) => tokenAddress)
  const options: { value: string; label: string }[] = [...byAddress].map(([value, [token, ...others]]) => ({
    value,
    label: others.length > 0 ? 'Native coin' : `${token!.tokenSymbol} · ${chainName(token!.chainKey)}`,
  }))
  if (chosen && !options.some(({ value }) => value === chosen)) options.push({ value: chosen, label: short(chosen) })
  return options
}
