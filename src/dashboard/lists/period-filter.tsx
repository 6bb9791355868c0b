import { Select } from '@mantine/core'
import { useFilters } from '../data/use-filters'
import { DayFields } from './day-fields'
import { periodNames, periods } from './period'

const options = Object.entries(periods).map(([value, label]) => ({ value, label }))

/** Narrows a list to a period, stored in the URL. Chosen days have a first and a last day, each optional. */
export function PeriodFilter({ label }: { label: string }) {
  const { parameters, put } = useFilters()
  const time = parameters.get('time')
  return (
    <>
      <Select
        label={label}
        placeholder="Any time"
        data={options}
        value={time}
        onChange={(value) => put('time', value, ...periodNames)}
        clearable
        clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      />
      {time === 'days' && <DayFields />}
    </>
  )
}
