import { TextInput } from '@mantine/core'
import { useFilters } from '../data/use-filters'

const labels = { since: 'First day (UTC)', until: 'Last day (UTC)' } as const

/** The first and the last of chosen days, stored in the URL. */
export function DayFields() {
  const { parameters, put } = useFilters()
  return (['since', 'until'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      label={labels[name]}
      value={parameters.get(name) ?? ''}
      onChange={(event) => put(name, event.currentTarget.value)}
    />
  ))
}
