import { useSyncExternalStore } from 'react'
import { isModuleWaiting, onModuleWaiting } from '../data/lazily'
import { Icon } from './icon'

const icons = { ok: 'check', info: 'info', bad: 'alert' } as const
type Tone = keyof typeof icons
type ToastState = { message: string | null; tone: Tone; announced: string; count: number }
let said: ToastState = { message: null, tone: 'ok', announced: '', count: 0 }
let timer: ReturnType<typeof setTimeout> | null = null
const listeners = new Set<() => void>()
const update = (change: Partial<ToastState>) => {
  said = { ...said, ...change }
  for (const listener of listeners) listener()
}

const hide = () => update({ message: null })

/**
 * Shows a sentence at the foot of the page: what was done, a remark (`info`) or a failure (`bad`). Only a failure stays
 * longer than a few seconds.
 */
export function showToast(text: string, tone: Tone = 'ok'): void {
  if (timer) clearTimeout(timer)
  timer = tone === 'bad' ? null : setTimeout(hide, 4_500)
  update({ message: text, tone })
}

/** Says a sentence to screen readers only, for what others see on the page. */
export const announce = (text: string): void => update({ announced: text, count: said.count + 1 })

const snapshot = (): ToastState => said
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The one live region of the pages for what is not an answer to a form. */
export function Toast() {
  const { message, tone, announced, count } = useSyncExternalStore(listen, snapshot, snapshot)
  return (
    <div role="status" aria-live="polite" aria-atomic="false">
      {message !== null && (
        <div className="toast">
          <Icon name={icons[tone]} size={16} />
          {message}
          {tone === 'bad' && (
            <button type="button" aria-label="Dismiss" onClick={hide}>
              <Icon name="cross" size={16} />
            </button>
          )}
        </div>
      )}
      {/* The key makes the same sentence new, so it is read again. */}
      <div key={count} className="hidden-visually">
        {announced}
      </div>
    </div>
  )
}

/** Shown while the file of a dialog is being fetched, unless that takes only a moment. */
export function LoadingDialog({ onClose }: { onClose: () => void }) {
  const isWaiting = useSyncExternalStore(onModuleWaiting, isModuleWaiting)
  return (
    <div className="toast is-loading" role="status">
      {isWaiting ? 'The server cannot be reached. This opens once it responds.' : 'Loading …'}
      <button type="button" aria-label="Do not open it" onClick={onClose}>
        <Icon name="cross" size={16} />
      </button>
    </div>
  )
}
