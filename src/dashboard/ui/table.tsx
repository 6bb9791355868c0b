import { type ReactNode, useEffect, useRef, useState } from 'react'

/** A column's name. `right` right-aligns numbers; `hidden` is only for screen readers. */
export type Head = string | { right: ReactNode } | { hidden: string } | false
type Props = { heads: readonly Head[]; children: ReactNode; foot?: ReactNode; kind?: string; label: string }

/** A table. If it is wider than its place it scrolls, also by keyboard; only then Tab stops at it. */
export function Table({ heads, children, foot, kind = '', label }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    // An observer also reports the size at its start.
    const watch = new ResizeObserver(() => setWide(box.current!.scrollWidth > box.current!.clientWidth + 1))
    watch.observe(box.current!)
    watch.observe(box.current!.firstElementChild!)
    return () => watch.disconnect()
  }, [])
  const scrolls = isWide && { role: 'group', 'aria-label': label, tabIndex: 0 }
  return (
    <div className="table-box" ref={box} {...scrolls}>
      <table className={`table ${kind}`} aria-label={label}>
        <thead>
          <tr>{heads.map(column)}</tr>
        </thead>
        <tbody>{children}</tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  )
}

function column(head: Head, n: number): ReactNode {
  if (head === false) return null
  if (typeof head === 'string') return <th key={n}>{head}</th>
  if ('right' in head)
    return (
      <th key={n} className="right">
        {head.right}
      </th>
    )
  return (
    <th key={n}>
      <span className="hidden-visually">{head.hidden}</span>
    </th>
  )
}
