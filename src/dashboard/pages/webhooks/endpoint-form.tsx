import { MultiSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { eventFamilies, eventTypes } from '../../../domain/event-types'
import { defaultTypes, urlLengthMax } from '../../../domain/webhook/endpoint'
import type { WebhookEndpointCreatedView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'
import { FormDialog } from '../../ui/form-dialog'
import { showToast } from '../../ui/toast'
import { type Endpoint, pathOf } from './endpoint-data'

type Settings = Pick<Endpoint, 'url' | 'types' | 'description'>

const typeOptions = [...eventFamilies, ...eventTypes]
const typesMax = 32

function SettingFields({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const { me } = useHere()
  const { url, types, description } = settings
  const accepted = me.webhooksToLoopback
    ? 'https on the public Internet, or a program on this machine such as http://localhost:4242.'
    : 'https, on the public Internet.'
  return (
    <>
      <TextInput
        label="URL"
        description={`${accepted} Events are posted to it as JSON.`}
        placeholder="https://example.com/hooks"
        value={url}
        onChange={(event) => onChange({ ...settings, url: event.currentTarget.value.trim() })}
        maxLength={urlLengthMax}
        required
        data-autofocus
      />
      <MultiSelect
        label="Events"
        description="Types, or families such as deposit.*"
        placeholder={types.length > 0 ? '' : 'Choose at least one'}
        data={typeOptions}
        value={types}
        onChange={(chosen) => onChange({ ...settings, types: chosen })}
        maxValues={typesMax}
        searchable
        hidePickedOptions
      />
      <TextInput
        label="Description"
        placeholder="Checkout"
        value={description ?? ''}
        onChange={(event) => onChange({ ...settings, description: event.currentTarget.value || null })}
        maxLength={256}
      />
    </>
  )
}

const isComplete = ({ url, types }: Settings): boolean => url !== '' && types.length > 0

export function NewEndpoint({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [settings, setSettings] = useState<Settings>({ url: '', types: [...defaultTypes], description: null })
  const create = useMutation({
    mutationFn: () => ask<typeof WebhookEndpointCreatedView.infer>('/webhook-endpoints', { body: settings }),
    onSuccess: ({ secret }) => onMade(secret),
  })
  return (
    <FormDialog
      title="Add endpoint"
      action="Add endpoint"
      act={create}
      onClose={onClose}
      isReady={isComplete(settings)}
    >
      <SettingFields settings={settings} onChange={setSettings} />
    </FormDialog>
  )
}

export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id, url, types, description } = endpoint
  const [settings, setSettings] = useState<Settings>({ url, types, description })
  const edit = useMutation({
    mutationFn: () => ask(pathOf(id), { method: 'PATCH', body: settings }),
    onSuccess: () => {
      showToast('Changed. It applies to every further attempt.')
      onClose()
    },
  })
  return (
    <FormDialog title="Edit endpoint" action="Save" act={edit} onClose={onClose} isReady={isComplete(settings)}>
      <SettingFields settings={settings} onChange={setSettings} />
    </FormDialog>
  )
}
