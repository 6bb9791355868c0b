import { useSyncExternalStore } from 'react'
import { Icon } from './icon'

let message: string | null = null
let timer: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** Shows a sentence at the foot of the page for a few seconds. */
export function say(text: string): void {
  message = text
  if (timer) clearTimeout(timer)
  timer = setTimeout(() => {
    message = null
    tell()
  }, 4_500)
  tell()
}

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toast() {
  const text = useSyncExternalStore(listen, () => message)
  return (
    <div role="status" aria-live="polite">
      {text !== null && (
        <div className="toast">
          <Icon name="check" size={16} />
          {text}
        </div>
      )}
    </div>
  )
}
