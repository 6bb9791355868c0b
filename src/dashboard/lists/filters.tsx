import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFilters } from '../data/use-filters'

type Props = { label: string; kind: 'is-two' | 'is-four' | 'is-executions'; children: ReactNode }

/** The filters of a list. A phone shows the first, and the others behind a button, so the list is in sight. */
export function Filters({ label, kind, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { parameters } = useFilters()
  return (
    <div className={`filters ${kind} ${isOpen ? 'is-open' : ''}`} role="search" aria-label={label}>
      {children}
      <Button className="filters-more" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Fewer filters' : 'Filters'}
        {parameters.size > 0 && ` (${parameters.size})`}
      </Button>
    </div>
  )
}
