import { type ReactNode, useEffect, useRef } from 'react'
import { focusFirst } from '../access/focus'

export const Mark = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#4338ca" />
    <path d="M6 21h7c6 0 6-10 12-10h1M6 21h20" fill="none" stroke="#fff" strokeWidth="2.600" strokeLinecap="round" />
    <circle cx="7" cy="21" r="2.600" fill="#fff" />
    <circle cx="25.500" cy="11" r="2.600" fill="#a5b4fc" />
  </svg>
)

/** A page with a single card on it, for people who are not signed in or have no organization yet. */
export function Alone({
  title,
  lead,
  children,
  foot,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
  foot?: ReactNode
}) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${title} · Switchyard`
    focusFirst(box.current!)
  }, [title])
  return (
    <main className="alone" ref={box}>
      <div className="box">
        <div className="brand">
          <Mark size={32} /> Switchyard
        </div>
        <div className="card pad stack">
          <div>
            <h1>{title}</h1>
            {lead && <p className="sub small">{lead}</p>}
          </div>
          {children}
        </div>
        {foot && <div className="sub small foot">{foot}</div>}
      </div>
    </main>
  )
}
