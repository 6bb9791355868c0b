import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { Icon } from './icon'
import { say } from './toast'

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

export function Copy({ value, what }: { value: string; what: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    if (!(await copyText(value))) return say(`The browser refused to copy. Select the ${what} by hand.`)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={isDone ? 'check' : 'copy'} size={15} />
    </ActionIcon>
  )
}
