import { Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SavedViewsView } from '../../../http/dashboard/saved-views'
import { ask, queryOf } from '../../data/api'
import { choicesOf, ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { inFlight } from '../../live/counts'
import { FormDialog } from '../../ui/form-dialog'
import { Unread } from '../../ui/loaded'
import { Trouble } from '../../ui/parts'
import { attentionQuery } from './execution-filter'

type Saved = SavedViewsView[number]
type View = Pick<Saved, 'name' | 'query'> & Partial<Saved>

const usual: View[] = [
  { name: 'All', query: '' },
  { name: 'Needs attention', query: attentionQuery },
  { name: 'Retrying', query: 'status=FAILED' },
  { name: 'In flight', query: `status=${inFlight}` },
  { name: 'Last hour', query: 'time=hour' },
]

const plain = (query: string): string => decodeURIComponent(new URLSearchParams(query).toString())

/** Named filters: built in, the person's own in this organization, or shared by its members. */
export function SavedViews({ parameters, onChoose }: { parameters: string; onChoose: (query: string) => void }) {
  const { organization, isOperator, isAdmin } = useHere()
  const client = useQueryClient()
  const queryKey = ['views', organization.id]
  const saved = useQuery({ queryKey, queryFn: () => ask<SavedViewsView>('/views'), staleTime: 30_000 })
  const [isNaming, setNaming] = useState(false)
  const onSuccess = (views: SavedViewsView) => client.setQueryData(queryKey, views)
  const save = useMutation({
    mutationFn: (view: View) => ask<SavedViewsView>('/views', { method: 'PUT', body: view }),
    onSuccess: (views) => {
      onSuccess(views)
      setNaming(false)
    },
  })
  const forget = useMutation({
    mutationFn: ({ name, query, isOwn }: View) =>
      ask<SavedViewsView>(`/views${queryOf({ name, sharedQuery: isOwn === false ? query : null })}`, {
        method: 'DELETE',
      }),
    onSuccess,
  })
  const views: readonly View[] = [...usual, ...choicesOf(saved)]
  const current = views.find(({ query }) => plain(query) === plain(parameters))
  const isSaved = current !== undefined && !usual.includes(current)
  // A process of the previous release names no owner, and shows only a person's own views.
  const isForgettable = isSaved && (current.isOwn !== false || isAdmin)
  const isSavable = !current && ifLoaded(saved, () => true)
  return (
    <>
      <div className="chips" role="group" aria-label="Views">
        {views.map((view) => (
          <button
            key={`${view.name} ${view.query}`}
            type="button"
            className="chip"
            aria-pressed={view === current}
            onClick={() => onChoose(view.query)}
          >
            {view.name}
            {view.isShared && ` · shared${view.isOwn ? ' by you' : ''}`}
          </button>
        ))}
        {isSavable && (
          <button type="button" className="chip" onClick={() => setNaming(true)}>
            + Save this view
          </button>
        )}
        {isForgettable && (
          <button type="button" className="linkbutton small" onClick={() => forget.mutate(current)}>
            Forget “{current.name}”
          </button>
        )}
      </div>
      <Unread of={saved} />
      <Trouble error={forget.error} />
      <FormDialog
        title="Save this view"
        action="Save"
        isOpen={isNaming}
        onSubmit={(event) => {
          const form = new FormData(event.currentTarget)
          const name = String(form.get('name')).trim()
          if (usual.some((view) => view.name === name)) return setNaming(false)
          save.mutate({ name, query: parameters, isShared: form.has('isShared') })
        }}
        onClose={() => {
          setNaming(false)
          save.reset()
        }}
        isPending={save.isPending}
        error={save.error}
      >
        <p className="small">You see it on every device. A name that you used before is replaced.</p>
        <TextInput name="name" label="Name" maxLength={32} required data-autofocus />
        {isOperator && <Checkbox name="isShared" label={`Share it with all members of ${organization.name}`} />}
      </FormDialog>
    </>
  )
}
