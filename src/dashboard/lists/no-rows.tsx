import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFind } from '../find/find-context'
import type { IconName } from '../ui/icon'
import { Empty } from '../ui/parts'

type Props = {
  icon: IconName
  /** The name of one row, such as "deposit". */
  what: string
  text: string | null
  /** What else the searched text can be, as a sentence. */
  elsewhere: string
  isFiltered: boolean
  onClear: () => void
  /** Shown while there is no row at all. */
  children: ReactNode
}

/** An empty list: either nothing matches its filters, or it has no rows yet. */
export function NoRows({ icon, what, text, elsewhere, isFiltered, onClear, children }: Props) {
  const find = useFind()
  return (
    <Empty icon={icon} title={isFiltered ? `No ${what} matches` : `No ${what}s yet`}>
      {isFiltered ? (
        <>
          {text && (
            <p>
              {elsewhere}{' '}
              <button type="button" className="as-link" onClick={() => find(text)}>
                Search everywhere
              </button>
            </p>
          )}
          <Button variant="default" size="sm" onClick={onClear}>
            Clear filters
          </Button>
        </>
      ) : (
        <p>{children}</p>
      )}
    </Empty>
  )
}
