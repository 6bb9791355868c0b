import { Button, Menu, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { CreatedKeyView } from '../../../http/dashboard/keys'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import type { KeyView } from '../../data/types'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { FormDialog } from '../../ui/form-dialog'
import { ListView } from '../../ui/list-view'
import { OneTime } from '../../ui/one-time'
import { OverlapField } from '../../ui/overlap-field'
import { Empty, Note, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { showToast } from '../../ui/toast'
import { EditKey, NewKey } from './key-form'

export const useKeys = () => useRead<KeyView[]>(['keys'], '/keys', { refetchInterval: 20_000 })

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
      actions={
        <>
          <Link href="/keys/all">Requests of all keys</Link>
          {isAdmin && create}
        </>
      }
    >
      {!isAdmin && <Note tone="info">You can see the keys. Owners and admins create, change and revoke them.</Note>}
      <ListView
        list={keys}
        label="API keys"
        isOrdered
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
      </ListView>
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

/** Shows the value of a new key, once. It is stored nowhere. */
export function OneTimeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const curl = `curl -s ${location.origin}/api/chains -H 'x-api-key: ${value}'`
  return (
    <OneTime
      title="Copy your key now"
      what="API key"
      value={value}
      lead="The key is shown only once. If you lose it, roll the key."
      stored="I have stored this key"
      onClose={onClose}
    >
      <p className="small">Try it in a terminal while the whole key is visible:</p>
      <div className="secret">
        <pre className="code breaks" tabIndex={0} data-curl>
          {curl}
        </pre>
        <Copy value={curl} what="curl command" />
      </div>
    </OneTime>
  )
}

export function RevokeKey({ apiKey, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const { id, label } = apiKey
  const [typed, setTyped] = useState('')
  const revoke = useMutation({
    mutationFn: () => ask(`/keys/${id}/revoke`, { body: { label: typed } }),
    onSuccess: () => {
      showToast('Revoked. Requests with this key now get 401.')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Revoke the key ${label}`}
      action="Revoke key"
      act={revoke}
      onClose={onClose}
      isReady={typed === label}
      color="red.9"
    >
      <p className="small">
        Within a second, every request with this key is refused with 401. This cannot be undone. Deposits and intents
        created with it continue. Type <span className="strong">{label}</span> to confirm.
      </p>
      <TextInput
        label="Label of the key"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  )
}

/**
 * Replaces a key with a new one that has the same settings. The old one keeps working for a while, so nothing is
 * interrupted.
 */
export function RollKey({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: KeyView
  onClose: () => void
  onMade: (value: string) => void
}) {
  const [overlapSeconds, setOverlap] = useState(86_400)
  const roll = useMutation({
    mutationFn: () => ask<CreatedKeyView>(`/keys/${apiKey.id}/roll`, { body: { overlapSeconds } }),
    onSuccess: ({ value }) => onMade(value),
  })
  return (
    <FormDialog title={`Roll the key ${apiKey.label}`} action="Create the new key" act={roll} onClose={onClose}>
      <p className="small">
        You get a new key with the same settings now. Start using it before the old one stops working.
      </p>
      <OverlapField label="The old key stops working" seconds={overlapSeconds} onChange={setOverlap} />
    </FormDialog>
  )
}
