import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { Listed } from '../../ui/listed'
import { Empty, Note, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { EditKey, NewKey } from './key-form'
import { OneTimeKey } from './one-time-key'
import { RevokeKey } from './revoke-key'
import { RollKey } from './roll-key'

export const useKeys = () => {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['keys', organization.id],
    queryFn: () => ask<KeyView[]>('/keys'),
    refetchInterval: 20_000,
  })
}

export type Doing =
  | { what: 'create' }
  | { what: 'edit' | 'roll' | 'revoke'; key: KeyView }
  | { what: 'show'; value: string }

export default function Keys() {
  const { isAdmin, organization } = useHere()
  const keys = useKeys()
  const client = useQueryClient()
  const [doing, setDoing] = useState<Doing | null>(null)
  const end = () => {
    setDoing(null)
    void client.invalidateQueries({ queryKey: ['keys', organization.id] })
  }
  const show = (value: string) => {
    setDoing({ what: 'show', value })
    void client.invalidateQueries({ queryKey: ['keys', organization.id] })
  }
  const create = <Button onClick={() => setDoing({ what: 'create' })}>Create key</Button>
  return (
    <Page
      title="API keys"
      lead="A new intent takes the fee and gas settings of its key. If you change the key later, existing intents stay as they are."
      actions={isAdmin && create}
    >
      {!isAdmin && <Note tone="info">You can see the keys. Owners and admins create, change and revoke them.</Note>}
      <Listed
        list={keys}
        label="API keys"
        bones={{ rows: 4, height: 24 }}
        heads={[
          'Label',
          'Key',
          'Role',
          { right: 'Protocol fee' },
          'Gas',
          'Created',
          'Last used',
          { hidden: 'Actions' },
        ]}
        empty={
          <Empty icon="key" title="No API keys yet">
            <p>A key lets your server create deposit intents and follow their deposits. Its value is shown once.</p>
            {isAdmin && create}
          </Empty>
        }
      >
        {(key) => <Row key={key.id} apiKey={key} onDo={isAdmin ? setDoing : null} />}
      </Listed>
      {doing?.what === 'create' && <NewKey onClose={end} onMade={show} />}
      {doing?.what === 'show' && <OneTimeKey value={doing.value} onClose={end} />}
      {doing?.what === 'edit' && <EditKey apiKey={doing.key} onClose={end} />}
      {doing?.what === 'roll' && <RollKey apiKey={doing.key} onClose={end} onMade={show} />}
      {doing?.what === 'revoke' && <RevokeKey apiKey={doing.key} onClose={end} />}
    </Page>
  )
}

function Row({ apiKey, onDo }: { apiKey: KeyView; onDo: ((doing: Doing) => void) | null }) {
  const {
    id,
    label,
    prefix,
    role,
    protocolFeeBps,
    sponsoredGas,
    createdAt,
    createdBy,
    lastUsedAt,
    isRevoked,
    isExpiring,
    allowedAddresses,
    endsAt,
    revokedBy,
  } = apiKey
  return (
    <tr className={isRevoked ? 'is-off' : ''}>
      <td>
        <Link href={`/keys/${id}`} className="rowlink" title="Its requests">
          {label}
        </Link>{' '}
        <KeyState apiKey={apiKey} />
      </td>
      <td className="mono nowrap">
        {prefix}…
        {allowedAddresses.length > 0 && (
          <div className="sub tiny" title={allowedAddresses.join(', ')}>
            from {allowedAddresses.length} {allowedAddresses.length === 1 ? 'range' : 'ranges'}
          </div>
        )}
      </td>
      <td>{role}</td>
      <td className="right num" data-label="Fee">
        {(protocolFeeBps / 100).toFixed(2)} %
      </td>
      <td>{sponsoredGas ? 'Sponsored' : 'From the deposit'}</td>
      <td data-label="Created">
        <Ago at={createdAt} />
        {createdBy && <div className="sub tiny">{createdBy}</div>}
      </td>
      <td data-label={isRevoked ? undefined : 'Used'}>
        {isRevoked && endsAt ? (
          <>
            {isExpiring ? 'Expired' : 'Revoked'} <Ago at={endsAt} />
            {revokedBy && <div className="sub tiny">{revokedBy}</div>}
          </>
        ) : (
          <Ago at={lastUsedAt} />
        )}
      </td>
      <td className="right">{!isRevoked && onDo && <KeyMenu apiKey={apiKey} onDo={onDo} />}</td>
    </tr>
  )
}

function KeyState({ apiKey: { isRevoked, isExpiring, revokedBy, endsAt, isUnused } }: { apiKey: KeyView }) {
  if (isRevoked)
    return (
      <span className="pill t-bad" title={revokedBy ? `by ${revokedBy}` : undefined}>
        {isExpiring ? 'Expired' : 'Revoked'}
      </span>
    )
  if (endsAt)
    return (
      <span className="pill t-warn">
        {isExpiring ? 'Expires' : 'Ends'} <Ago at={endsAt} />
      </span>
    )
  return isUnused ? <span className="pill t-mute">Unused for 90 days</span> : null
}

const KeyMenu = ({ apiKey, onDo }: { apiKey: KeyView; onDo: (doing: Doing) => void }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button size="compact-sm" variant="default" aria-label={`Change ${apiKey.label}`}>
        Change
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={() => onDo({ what: 'edit', key: apiKey })}>Edit</Menu.Item>
      <Menu.Item onClick={() => onDo({ what: 'roll', key: apiKey })}>Roll</Menu.Item>
      <Menu.Item color="red.9" onClick={() => onDo({ what: 'revoke', key: apiKey })}>
        Revoke
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)
