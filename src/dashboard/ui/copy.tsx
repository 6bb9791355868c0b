import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { short, shortId } from '../data/format'
import { Icon } from './icon'
import { announce, showToast } from './toast'

export const copyText = (text: string): Promise<boolean> =>
  (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('No clipboard'))).then(
    () => true,
    () => copiedByHand(text),
  )

/** Copies through a hidden text field: without https a browser gives scripts no clipboard. */
function copiedByHand(text: string): boolean {
  const area = Object.assign(document.createElement('textarea'), { value: text, readOnly: true })
  area.className = 'hidden-visually'
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}

const hash = /^[\w:-]{20,}$/
/** Names what is copied: each of many buttons in a list has a name of its own. */
const nameOf = (what: string, value: string): string =>
  hash.test(value) ? `Copy ${what} ${value.includes(':') ? shortId(value) : short(value)}` : `Copy ${what}`

export function Copy({ value, what }: { value: string; what: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    if (!(await copyText(value))) return showToast(`The browser refused to copy. Select the ${what} by hand.`, 'bad')
    setDone(true)
    announce('Copied.')
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <ActionIcon variant="subtle" color="gray" size={24} aria-label={nameOf(what, value)} onClick={copy}>
      <span aria-hidden="true" title={`Copy ${what}`} className="row">
        <Icon name={isDone ? 'check' : 'copy'} size={15} />
      </span>
    </ActionIcon>
  )
}
