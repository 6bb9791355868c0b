import { useState } from 'react'

/** The columns that can be hidden, in order. Status and id are always shown. */
export const columns = {
  user: 'User',
  route: 'Route',
  in: 'Amount in',
  fees: 'Fees',
  out: 'Amount out',
  cause: 'Cause',
  next: 'Who acts next',
  created: 'Created',
} as const
export type Column = keyof typeof columns
export const columnNames = Object.keys(columns) as Column[]
/** Fees are a line below the amount, because a further column does not fit. */
export const ownColumns = columnNames.filter((column) => column !== 'fees')

const place = 'switchyard columns'

/** Returns the columns that this browser shows; initially all. */
export function useColumns() {
  const [hidden, setHidden] = useState<readonly Column[]>(read)
  const turn = (column: Column) => {
    const next = hidden.includes(column) ? hidden.filter((each) => each !== column) : [...hidden, column]
    setHidden(next)
    localStorage.setItem(place, JSON.stringify(next))
  }
  return { shows: (column: Column): boolean => !hidden.includes(column), turn }
}

function read(): Column[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(stored) ? columnNames.filter((each) => stored.includes(each)) : []
  } catch {
    return []
  }
}
