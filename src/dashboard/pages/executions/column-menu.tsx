import { Button, Menu } from '@mantine/core'
import { Icon } from '../../ui/icon'
import { type Column, columnNames, columns } from './execution-columns'

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
