import { Button, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import { grouped } from '../data/format'
import { showToast } from '../ui/toast'
import { type ExportFormat, exportList } from './export-list'

type Props<Row> = {
  addresses: readonly string[]
  name: string
  flat: (row: Row) => Record<string, unknown>
  isEmpty: boolean
}

/** Saves a whole filtered list as a file. A long export shows its progress and can be stopped. */
export function ExportMenu<Row>({ addresses, name, flat, isEmpty }: Props<Row>) {
  const [count, setCount] = useState<number | null>(null)
  const [isOpen, setOpen] = useState(false)
  const stop = useRef<AbortController>(null)
  const save = async (format: ExportFormat) => {
    const ending = new AbortController()
    stop.current = ending
    setCount(0)
    try {
      const saved = await exportList<Row>({ addresses, name, format, flat, onRows: setCount, signal: ending.signal })
      showToast(ending.signal.aborted ? 'The export was stopped.' : `${grouped(saved)} ${name} exported`)
    } catch (error) {
      showToast(ending.signal.aborted ? 'The export was stopped.' : (error as Error).message)
    }
    setCount(null)
  }
  const isBusy = count !== null
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
          {isBusy ? `Stop the export: ${grouped(count)} rows` : 'Export'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save('csv')}>As CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => void save('json')}>As JSON, as the API returns it</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
