import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon'
import { say } from '../../ui/toast'
import { type Column, columnNames, columns } from './execution-columns'
import { exportExecutions } from './export-executions'

type ColumnProps = { shows: (column: Column) => boolean; onTurn: (column: Column) => void }
/** Chooses the columns. The choice is stored in this browser. */
export const ColumnMenu = ({ shows, onTurn }: ColumnProps) => (
  <Menu position="bottom-end" closeOnItemClick={false}>
    <Menu.Target>
      <Button variant="default" size="sm">
        Columns
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {columnNames.map((column) => (
        <Menu.Item
          key={column}
          role="menuitemcheckbox"
          aria-checked={shows(column)}
          onClick={() => onTurn(column)}
          leftSection={<span className="tick">{shows(column) && <Icon name="check" size={15} />}</span>}
        >
          {columns[column]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)

/** Saves the filtered executions as a file. */
export function ExportMenu({ parameters, isEmpty }: { parameters: URLSearchParams; isEmpty: boolean }) {
  const [isBusy, setBusy] = useState(false)
  const hand = (format: 'csv' | 'json') => {
    setBusy(true)
    exportExecutions(parameters, format)
      .catch((error: Error) => say(error.message))
      .finally(() => setBusy(false))
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="sm" loading={isBusy} disabled={isEmpty}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => hand('csv')}>As CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => hand('json')}>As JSON, as the API returns it</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
