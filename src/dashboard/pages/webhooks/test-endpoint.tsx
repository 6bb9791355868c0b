import { Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { eventTypes, testType } from '../../../domain/event-types'
import { ask } from '../../data/api'
import { duration } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { Note } from '../../ui/parts'
import { answerWords, type Delivery, type Endpoint, pathOf } from './endpoint-data'

/** Sends a sample now, and shows the endpoint's response. */
export function TestEndpoint({ endpoint: { id, url }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [type, setType] = useState<string>(testType)
  const test = useMutation({ mutationFn: () => ask<Delivery>(pathOf(id, '/test'), { body: { type } }) })
  return (
    <FormDialog
      title="Send a test"
      action={test.data ? 'Send another' : 'Send'}
      cancel="Close"
      act={test}
      onClose={onClose}
    >
      <p className="small">
        A sample is sent once to <span className="strong wrap">{url}</span>, signed like any event. Its{' '}
        <span className="mono">seq</span> is null.
      </p>
      <Select
        label="Event"
        data={[testType, ...eventTypes]}
        value={type}
        onChange={(value) => setType(value ?? testType)}
        searchable
      />
      {test.data && !test.isPending && <Said delivery={test.data} />}
    </FormDialog>
  )
}

function Said({ delivery: { status, lastAttempt } }: { delivery: Delivery }) {
  const isGood = status === 'DELIVERED'
  return (
    <Note tone={isGood ? 'ok' : 'bad'} role="status">
      {answerWords(lastAttempt)}
      {lastAttempt && ` (${duration(lastAttempt.durationMs)})`}.{' '}
      {isGood ? 'It was accepted.' : lastAttempt?.statusCode ? 'Only 2xx counts as accepted.' : null}
    </Note>
  )
}
