import { useSyncExternalStore } from 'react'
import { Icon } from './icon'

type ToastState = { message: string | null; announced: string; count: number }
let said: ToastState = { message: null, announced: '', count: 0 }
let timer: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()
const update = (change: Partial<ToastState>) => {
  said = { ...said, ...change }
  for (const listener of listeners) listener()
}

/** Shows a sentence at the foot of the page for a few seconds. */
export function showToast(text: string): void {
  if (timer) clearTimeout(timer)
  timer = setTimeout(() => update({ message: null }), 4_500)
  update({ message: text })
}

/** Says a sentence to screen readers only, for what others see on the page. */
export const announce = (text: string): void => update({ announced: text, count: said.count + 1 })

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The one live region of the pages for what is not an answer to a form. */
export function Toast() {
  const { message, announced, count } = useSyncExternalStore(listen, () => said)
  return (
    <div role="status" aria-live="polite" aria-atomic="false">
      {message !== null && (
        <div className="toast">
          <Icon name="check" size={16} />
          {message}
        </div>
      )}
      {/* The key makes the same sentence new, so it is read again. */}
      <div key={count} className="hidden-visually">
        {announced}
      </div>
    </div>
  )
}
