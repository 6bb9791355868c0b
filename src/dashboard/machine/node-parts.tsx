import { grouped } from '../format'
import type { Box } from './layout'

export const shortCount = (count: number): string =>
  count < 10_000 ? grouped(count) : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`

type TextProps = { box: Box; count: number | null; direction: 'across' | 'down'; note: string | null }
export function NodeText({ box, count, direction, note }: TextProps) {
  const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2]
  if (box.shape === 'bar') {
    const turned =
      direction === 'down'
        ? { transform: `rotate(-90 ${cx} ${cy})`, textAnchor: 'middle' as const, x: cx }
        : { x: box.x + 16 }
    return (
      <text aria-hidden="true" className="node-text" y={cy} dominantBaseline="central" {...turned}>
        {`${box.lines[0]} `}
        {count !== null && (
          <tspan className="count" dx="8">
            {`${shortCount(count)} `}
          </tspan>
        )}
        {note && (
          <tspan className="note-text" dx="12">
            {note}
          </tspan>
        )}
      </text>
    )
  }
  const lines = count === null ? box.lines : [...box.lines, null]
  const step = 13.5
  return (
    <text aria-hidden="true" className="node-text" textAnchor="middle">
      {lines.map((line, n) => (
        <tspan
          key={line ?? 'count'}
          x={cx}
          y={cy + (n - (lines.length - 1) / 2) * step}
          dominantBaseline="central"
          className={line === null ? 'count' : ''}
        >
          {line === null ? shortCount(count!) : line.endsWith('_') ? line : `${line} `}
        </tspan>
      ))}
    </text>
  )
}

/** Which steps of a history were in it. */
export function Order({ box, numbers }: { box: Box; numbers: number[] }) {
  const text = numbers.length > 2 ? `${numbers[0]}…${numbers.at(-1)}` : numbers.join(',')
  const w = Math.max(18, text.length * 6.4 + 10)
  return (
    <g className="order" aria-hidden="true">
      <rect x={box.x + box.w - w + 7} y={box.y - 9} width={w} height={18} rx={9} />
      <text x={box.x + box.w - w / 2 + 7} y={box.y} textAnchor="middle" dominantBaseline="central">
        {text}
      </text>
    </g>
  )
}
