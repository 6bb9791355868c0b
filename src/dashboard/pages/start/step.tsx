import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon'

/**
 * Keeps the focus in a step: if the focused element is replaced, such as the button of a step that is done now, the
 * heading gets the focus.
 */
function useHeldFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef<Element | null>(null)
  useEffect(() => {
    if (last.current === null || last.current.isConnected) return
    last.current = null
    // Only the page around the step has the focus then.
    if (document.activeElement?.contains(heading.current)) heading.current?.focus({ preventScroll: true })
  })
  return {
    heading,
    onFocus: ({ target }: FocusEvent) => {
      last.current = target
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget) last.current = null
    },
  }
}

type Props = { n: number; title: string; isDone: boolean | undefined; isNext: boolean; children: ReactNode }
export function Step({ n, title, isDone, isNext, children }: Props) {
  const { heading, ...focus } = useHeldFocus()
  return (
    <li className={`card pad step ${isDone ? 'is-done' : isNext ? 'is-next' : ''}`} {...focus}>
      <span className="bullet" aria-hidden="true">
        {isDone ? <Icon name="check" size={16} /> : n}
      </span>
      <div className="stack">
        <h2 ref={heading} tabIndex={-1}>
          {title} {isDone && <span className="hidden-visually">(done)</span>}
        </h2>
        {children}
      </div>
    </li>
  )
}
