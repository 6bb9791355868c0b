import { Button } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askFor, queryOf } from '../../data/api'
import { chainName, short } from '../../data/format'
import { useHere } from '../../data/session'
import { useFilters } from '../../data/use-filters'
import { orderOf } from '../../lists/order-filter'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { ListView } from '../../ui/list-view'
import { Empty, Note, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { type Entry, listingName } from './blacklist-entry'
import { PutEntry, RemoveEntry } from './blacklist-forms'

type Asking = { act: 'put'; entry: Entry | null } | { act: 'remove'; entry: Entry }
const actNames = { put: 'Change', remove: 'Remove' }

/**
 * Tokens and addresses that are never routed. They are checked when an intent is stored, when a deposit is screened,
 * and before signing.
 */
export default function Blacklist() {
  const { organization } = useHere()
  const client = useQueryClient()
  const order = orderOf(useFilters().parameters)
  const queryKey = ['blacklist', organization.id, order]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: `/app/api/operator/blacklist${queryOf({ limit: 50, order })}`,
    queryFn: ({ pageParam }) => askFor<Entry[]>(pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const [asking, setAsking] = useState<Asking | null>(null)
  const close = () => {
    setAsking(null)
    void client.invalidateQueries({ queryKey })
  }
  const mayEdit = organization.isPlatform
  return (
    <Page
      title="Security list"
      lead="Tokens and addresses that are never routed. The money of such a deposit stays safe in its account until an operator decides."
      actions={mayEdit && <Button onClick={() => setAsking({ act: 'put', entry: null })}>Add an entry</Button>}
    >
      {!mayEdit && (
        <Note tone="info">The platform’s operators maintain this list. Contact them about a wrong entry.</Note>
      )}
      <ListView
        list={list}
        label="Security list"
        isOrdered
        bones={{ rows: 5 }}
        heads={['Listed as', 'What', 'Address', 'Why', 'Added', mayEdit && { hidden: 'Actions' }]}
        empty={<Empty icon="shield" title="Nothing is listed" />}
      >
        {(entry) => (
          <EntryRow key={entry.id} entry={entry} onAct={mayEdit ? (act) => setAsking({ act, entry }) : null} />
        )}
      </ListView>
      {asking?.act === 'put' && <PutEntry replaced={asking.entry} onClose={close} />}
      {asking?.act === 'remove' && <RemoveEntry entry={asking.entry} onClose={close} />}
    </Page>
  )
}

type RowProps = { entry: Entry; onAct: ((act: Asking['act']) => void) | null }
const EntryRow = ({ entry, onAct }: RowProps) => (
  <tr>
    <td>
      <span className={`pill t-${entry.listedAs === 'ALLOWED' ? 'ok' : 'bad'}`}>{listingName(entry.listedAs)}</span>
    </td>
    <td>
      {entry.kind === 'TOKEN' ? 'Token' : 'Sender or recipient'}
      <div className="sub tiny">{entry.chainKey ? chainName(entry.chainKey) : 'All chains'}</div>
    </td>
    <td className="nowrap">
      <span className="row keep id-cell">
        <Hash value={entry.address} kind="address" />
        <Copy value={entry.address} what="address" />
      </span>
    </td>
    <td className="small whole">
      {entry.reason}{' '}
      <span className="sub">({entry.source === 'IMPORT' ? 'from an imported list' : 'by an operator'})</span>
    </td>
    <td className="to-left" data-label="Added">
      <Ago at={entry.createdAt} />
      {entry.expiresAt && (
        <div className="sub tiny">
          expires <Ago at={entry.expiresAt} />
        </div>
      )}
    </td>
    {onAct && (
      <td className="right whole">
        <span className="row end">
          {(['put', 'remove'] as const).map((act) => (
            <Button
              key={act}
              size="compact-sm"
              variant="default"
              onClick={() => onAct(act)}
              aria-label={`${actNames[act]} ${short(entry.address)}`}
            >
              {actNames[act]}
            </Button>
          ))}
        </span>
      </td>
    )}
  </tr>
)
