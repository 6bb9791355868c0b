import { TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { queryOf } from './api'
import { places } from './places'
import { addressesOf, firstFound } from './search'
import { useHere } from './session'
import type { ExecutionRow } from './types'
import { Dialog } from './ui/dialog'
import { Icon, type IconName } from './ui/icon'
import { say } from './ui/toast'

type Entry = { label: string; icon: IconName; run: () => void | Promise<void> }

export default function Palette({ kind, onClose }: { kind: 'palette' | 'shortcuts'; onClose: () => void }) {
  return kind === 'shortcuts' ? <Shortcuts onClose={onClose} /> : <Find onClose={onClose} />
}

/** Any page by its name, and any execution by whatever of it is at hand. */
function Find({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [, go] = useLocation()
  const { me, isOperator } = useHere()
  const sought = text.trim().toLowerCase()
  const leave = (path: string) => {
    onClose()
    go(path)
  }
  const pages = places.flatMap(({ label, path, icon, isFor }): Entry[] =>
    label && icon && (!isFor || isOperator) ? [{ label, icon, run: () => leave(path) }] : [],
  )
  const organizations = me.organizations.map(
    ({ name, slug }): Entry => ({
      label: `Switch to ${name}`,
      icon: 'people',
      run: () => location.assign(`/app/${slug}`),
    }),
  )
  const found = [...pages, ...organizations].filter(({ label }) => label.toLowerCase().includes(sought))
  const whole = text.trim()
  const search: Entry = { label: `Search for “${whole}”`, icon: 'search', run: () => lookFor(whole, leave) }
  const entries =
    sought === '' ? found : /^\d+:|^0x|^[a-z]+[_-]?\d/i.test(sought) ? [search, ...found] : [...found, search]
  const at = Math.min(chosen, entries.length - 1)

  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((at + step + entries.length) % entries.length)
    } else if (event.key === 'Enter') void entries[at]?.run()
  }
  return (
    <Dialog title="Find" isOpen onClose={onClose}>
      <TextInput
        aria-label="Page, id, user, address or hash"
        placeholder="Page, id, user, address or hash"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
        data-autofocus
        leftSection={<Icon name="search" size={16} />}
        role="combobox"
        aria-expanded
        aria-controls="found"
        aria-activedescendant={`found-${at}`}
      />
      <div role="listbox" id="found" aria-label="Found" className="found">
        {entries.map(({ label, icon, run }, n) => (
          <div
            key={label}
            id={`found-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === at}
            className="found-row"
            onClick={() => void run()}
            onKeyDown={press}
            onMouseMove={() => setChosen(n)}
          >
            <Icon name={icon} size={16} /> {label}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

const none: { body: ExecutionRow[] } = { body: [] }

/** What is found alone is opened at once; several are listed. */
async function lookFor(text: string, leave: (path: string) => void): Promise<void> {
  const { body: rows } = await firstFound<ExecutionRow>(addressesOf('/executions', text, { limit: 2 })).catch(
    () => none,
  )
  if (rows.length === 1) leave(`/executions/${encodeURIComponent(rows[0]!.id)}`)
  else leave(`/executions${queryOf({ q: text })}`)
  if (rows.length === 0) say('No execution has this; its deposit may still be confirming.')
}

const general = [
  ['Ctrl K or /', 'Find a page, an id, a user, an address, a hash'],
  ['?', 'This list'],
  ['← →', 'Step through an execution’s history'],
  ['j k', 'Next and previous execution of the same user'],
  ['Esc', 'Close what is open'],
] as const

const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard" isOpen onClose={onClose}>
    <table className="table shortcuts">
      <tbody>
        {[...general, ...places.flatMap(({ key, label }) => (key ? [[`g ${key}`, label!] as const] : []))].map(
          ([keys, what]) => (
            <tr key={keys}>
              <td>
                <kbd className="kbd">{keys}</kbd>
              </td>
              <td>{what}</td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  </Dialog>
)
