import { Button, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import { dayName, grouped } from '../data/format'
import { showToast } from '../ui/toast'
import { type ExportFormat, exportList } from './export-list'

type Reached = { count: number; at: string | null }
/** How far an export is: its rows, and the day of the last one. */
const progressWords = ({ count, at }: Reached): string =>
  `${grouped(count)} rows${at === null ? '' : `, at ${dayName(at.slice(0, 10))}`}`

type Props<Row> = {
  addresses: readonly string[]
  name: string
  flat: (row: Row) => Record<string, unknown>
  isEmpty: boolean
}

/** Saves a whole filtered list as a file. A long export shows its progress and can be stopped. */
export function ExportMenu<Row extends { createdAt: string | null }>({ addresses, name, flat, isEmpty }: Props<Row>) {
  const [reached, setReached] = useState<Reached | null>(null)
  const [isOpen, setOpen] = useState(false)
  const stop = useRef<AbortController>(null)
  const save = async (format: ExportFormat) => {
    const ending = new AbortController()
    stop.current = ending
    setReached({ count: 0, at: null })
    const onRows = (count: number, { createdAt }: Row) => setReached({ count, at: createdAt })
    try {
      const saved = await exportList<Row>({ addresses, name, format, flat, onRows, signal: ending.signal })
      if (!ending.signal.aborted) showToast(`${grouped(saved)} ${name} exported`)
    } catch (error) {
      if (!ending.signal.aborted) showToast((error as Error).message, 'bad')
    }
    if (ending.signal.aborted) showToast('The export was stopped.', 'info')
    setReached(null)
  }
  const isBusy = reached !== null
  return (
    <Menu position="bottom-end" opened={isOpen && !isBusy} onChange={(isWanted) => setOpen(isWanted && !isBusy)}>
      <Menu.Target>
        {/* One button for both, so the focus stays on it. */}
        <Button
          variant="default"
          size="sm"
          disabled={isEmpty && !isBusy}
          onClick={isBusy ? () => stop.current?.abort() : undefined}
        >
          {isBusy ? `Stop the export: ${progressWords(reached)}` : 'Export'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save('csv')}>As CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => void save('json')}>As JSON, as the API returns it</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
