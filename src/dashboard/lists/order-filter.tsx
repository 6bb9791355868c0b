import { Select } from '@mantine/core'
import { useFilters } from '../data/use-filters'

/** Whether the list in a URL begins with the oldest row; undefined for the newest. */
export const orderOf = (parameters: URLSearchParams): 'oldest' | undefined =>
  parameters.get('order') === 'oldest' ? 'oldest' : undefined

/** Sorts a list by age. */
export function OrderFilter() {
  const { parameters, put } = useFilters()
  return (
    <Select
      label="Order"
      data={[
        { value: 'newest', label: 'Newest first' },
        { value: 'oldest', label: 'Oldest first' },
      ]}
      value={orderOf(parameters) ?? 'newest'}
      onChange={(value) => put('order', value === 'oldest' ? value : null)}
    />
  )
}
