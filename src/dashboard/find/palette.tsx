import { TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { pageRoutes } from '../data/page-routes'
import { ifLoaded } from '../data/read'
import { useHere } from '../data/session'
import { useSignOut } from '../data/sign-out'
import { Dialog } from '../ui/dialog'
import { Icon } from '../ui/icon'
import { Trouble } from '../ui/parts'
import { type Entry, entriesOf, isCut, type Target } from './entries'
import { NotSeen } from './not-seen'
import { textMax, useSearch } from './use-search'

export type Overlay = { kind: 'shortcuts' } | { kind: 'palette'; text: string }

export default function Palette({ overlay, onClose }: { overlay: Overlay; onClose: () => void }) {
  return overlay.kind === 'shortcuts' ? <Shortcuts onClose={onClose} /> : <Find text={overlay.text} onClose={onClose} />
}

/** Finds a page by its name, and a deposit, an execution or a user by any of its ids, addresses or hashes. */
function Find({ text: first, onClose }: { text: string; onClose: () => void }) {
  const [text, setText] = useState(first)
  const [chosen, setChosen] = useState(0)
  /** Enter was pressed before the response came. A single result then opens when it arrives. */
  const [isHasty, setHasty] = useState(false)
  const whole = text.trim()
  const search = useSearch(whole)
  const leave = useLeaving(onClose)
  const named = useNamed(whole)
  const results = search.isAnswered && search.data ? entriesOf(search.data) : []
  const isText = ifLoaded(search, ({ kind }) => kind) === 'USER'
  const entries = isText ? [...named, ...results] : [...results, ...named]
  const at = Math.min(chosen, entries.length - 1)
  const isNothing = search.isAnswered && search.data !== undefined && entries.length === 0

  useEffect(() => {
    if (!isHasty || !search.isAnswered) return
    setHasty(false)
    if (results.length === 1) leave(results[0]!)
  })

  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && entries.length > 0) {
      event.preventDefault()
      setChosen((at + step + entries.length) % entries.length)
    } else if (event.key === 'Enter') {
      if (entries[at]) leave(entries[at])
      else if (!search.isAnswered && whole !== '') setHasty(true)
    }
  }
  return (
    <Dialog title="Find" isOpen onClose={onClose} size="lg" isAtTop>
      <TextInput
        aria-label="Page, user, amount, id, address, hash or explorer link"
        placeholder="Page, user, amount, id, address, hash or explorer link"
        value={text}
        maxLength={textMax}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
          setHasty(false)
        }}
        onKeyDown={press}
        data-autofocus
        leftSection={<Icon name="search" size={16} />}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={entries.length > 0 ? 'found' : undefined}
        aria-activedescendant={entries.length > 0 ? `found-${at}` : undefined}
      />
      {entries.length > 0 && <Results entries={entries} at={at} onChoose={setChosen} onOpen={leave} onPress={press} />}
      {search.isAnswered && search.data && isCut(search.data) && (
        <p className="sub small">
          These are the newest. Add the token, as in “500 USDC”, or search for the user to see others.
        </p>
      )}
      <div role="status" className="sub small looking">
        {whole !== '' && !search.isAnswered ? (
          'Searching …'
        ) : isNothing ? (
          <span className="hidden-visually">Not found</span>
        ) : null}
      </div>
      <Trouble error={search.isAnswered ? search.error : null} retry={() => void search.refetch()} />
      {isNothing && search.data && <NotSeen search={search.data} onDeposits={search.again} />}
    </Dialog>
  )
}

/** Opens another page, which closes the dialog. */
function useLeaving(onClose: () => void) {
  const [location, go] = useLocation()
  const [cameFrom] = useState(location)
  // Links inside the dialog open other pages too.
  useEffect(() => {
    if (location !== cameFrom) onClose()
  }, [location, cameFrom, onClose])
  return ({ path, act }: Target) => {
    if (act) return act()
    if (path.startsWith('/app/')) return window.location.assign(path)
    onClose()
    go(path)
  }
}

type ResultsProps = {
  entries: readonly Entry[]
  at: number
  onChoose: (at: number) => void
  onOpen: (entry: Entry) => void
  onPress: (event: KeyboardEvent) => void
}
const Results = ({ entries, at, onChoose, onOpen, onPress }: ResultsProps) => (
  <div role="listbox" id="found" aria-label="Found" className="found">
    {entries.map((entry, n) => (
      <div
        key={entry.key}
        id={`found-${n}`}
        role="option"
        tabIndex={-1}
        aria-selected={n === at}
        className="found-row"
        onClick={() => onOpen(entry)}
        onKeyDown={onPress}
        onMouseMove={() => onChoose(n)}
      >
        <Icon name={entry.icon} size={16} /> <span className="grow">{entry.label}</span> {entry.more}
      </div>
    ))}
  </div>
)

/** Returns pages and organizations whose name contains the text, and the way out. */
function useNamed(text: string): Entry[] {
  const { me, isOperator } = useHere()
  const signOut = useSignOut()
  const typedText = text.toLowerCase()
  const pages = pageRoutes.flatMap(({ label, path, icon, isFor }) =>
    label && icon && (!isFor || isOperator) ? [{ key: path, label, icon, path }] : [],
  )
  const organizations = me.organizations.map(
    ({ name, slug }) => ({ key: slug, label: `Switch to ${name}`, icon: 'people', path: `/app/${slug}` }) as const,
  )
  const named = [...pages, ...organizations].filter(({ label }) => label.toLowerCase().includes(typedText))
  const leaves = ['sign out', 'log out'].some((word) => word.startsWith(typedText))
  return leaves ? [...named, { key: 'sign-out', label: 'Sign out', icon: 'exit', act: signOut }] : named
}

const general = [
  ['Ctrl K or /', 'Find a page, a user, an amount, an ID, an address or a hash, or sign out'],
  ['?', 'Show this list'],
  ['t', 'Show exact or relative times; a tap on a time does the same'],
  ['← →', 'Step through an execution’s history'],
  ['j k', 'Next and previous execution of the same user'],
  ['Esc', 'Close the dialog or menu'],
] as const

const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
    <p className="sub small">
      Single keys can be turned off in{' '}
      <Link href="/account" onClick={onClose}>
        your account
      </Link>
      .
    </p>
    <table className="table shortcuts">
      <tbody>
        {[...general, ...pageRoutes.flatMap(({ key, label }) => (key ? [[`g ${key}`, label!] as const] : []))].map(
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
