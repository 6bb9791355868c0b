import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useHere } from '../../data/session'
import { inFlight } from '../../live/counts'
import { FormDialog } from '../../ui/form-dialog'
import { attentionQuery } from './execution-filter'

type View = { name: string; query: string }

const usual: View[] = [
  { name: 'All', query: '' },
  { name: 'Needs attention', query: attentionQuery },
  { name: 'Retrying', query: 'status=FAILED' },
  { name: 'In flight', query: `status=${inFlight}` },
  { name: 'Last hour', query: 'time=hour' },
]

const plain = (query: string): string => decodeURIComponent(new URLSearchParams(query).toString())

/** Named filters. Some are built in; this browser stores the others. */
export function SavedViews({ parameters, onChoose }: { parameters: string; onChoose: (query: string) => void }) {
  const { organization } = useHere()
  const place = `switchyard views ${organization.id}`
  const [own, setOwn] = useState<View[]>(() => read(place))
  const [isNaming, setNaming] = useState(false)
  const keep = (views: View[]) => {
    setOwn(views)
    localStorage.setItem(place, JSON.stringify(views))
  }
  const views = [...usual, ...own]
  const current = views.find(({ query }) => plain(query) === plain(parameters))
  return (
    <div className="chips" role="group" aria-label="Views">
      {views.map((view) => (
        <button
          key={view.name}
          type="button"
          className="chip"
          aria-pressed={view === current}
          onClick={() => onChoose(view.query)}
        >
          {view.name}
        </button>
      ))}
      {!current && (
        <button type="button" className="chip" onClick={() => setNaming(true)}>
          + Save this view
        </button>
      )}
      {current && own.includes(current) && (
        <button type="button" className="linkbutton small" onClick={() => keep(own.filter((view) => view !== current))}>
          Forget “{current.name}”
        </button>
      )}
      <FormDialog
        title="Save this view"
        action="Save"
        isOpen={isNaming}
        onSubmit={(event) => {
          const name = String(new FormData(event.currentTarget).get('name')).trim()
          if (name && !views.some((view) => view.name === name)) keep([...own, { name, query: parameters }])
          setNaming(false)
        }}
        onClose={() => setNaming(false)}
      >
        <TextInput name="name" label="Name" maxLength={32} required withAsterisk={false} data-autofocus />
      </FormDialog>
    </div>
  )
}

function read(place: string): View[] {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '[]') as View[]
  } catch {
    return []
  }
}
