import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask } from '../data/api'
import { FormDialog } from './form-dialog'

type Props = {
  title: string
  path: string
  /** Fields sent along with the typed name. */
  more?: object
  word: string
  label: string
  onError?: () => unknown
  onClose: () => void
  children: ReactNode
}

/** Deletes something permanently after its name is typed, then opens a page that the person can still access. */
export function ConfirmedDeletion({ title, path, more, word, label, onError, onClose, children }: Props) {
  const [typed, setTyped] = useState('')
  const act = useMutation({
    mutationFn: () => ask(path, { body: { confirm: word, ...more } }),
    onSuccess: () => location.assign('/app'),
    onError: () => onError?.(),
  })
  return (
    <FormDialog
      title={title}
      action="Delete permanently"
      act={act}
      onClose={onClose}
      isReady={typed === word}
      color="red.9"
    >
      {children}
      <p className="small">
        This cannot be undone. Type <span className="strong">{word}</span> to confirm.
      </p>
      <TextInput
        label={label}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  )
}
