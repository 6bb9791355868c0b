import { grouped } from '../data/format'
import type { Box } from './layout'

/** Writes a count in at most six characters, and an unknown count as a dash. */
export function shortCount(count: number | null): string {
  if (count === null) return '–'
  if (count < 10_000) return grouped(count)
  const [size, unit] = count < 999_500 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${(count / size).toFixed(count < 100 * size ? 1 : 0)}${unit}`
}

/** What a state shows in addition to its name: its count, lines about durations, and whether it is late. */
export type Figures = { count: number | null; lines: readonly string[]; lateness: 'LATE' | 'OVERDUE' | null }

type TextProps = { box: Box; figures: Figures | null; direction: 'across' | 'down'; note: string | null }
const lineHeight = 14.5

export function NodeText({ box, figures, direction, note }: TextProps) {
  if (box.shape === 'bar') return <BarText box={box} figures={figures} direction={direction} note={note} />
  const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2]
  const lines = [
    ...box.lines.map((text) => ({ text, kind: 'name' })),
    ...box.codes.map((text) => ({ text, kind: 'code-text' })),
    ...(figures ? [{ text: shortCount(figures.count), kind: 'count' }] : []),
    ...(figures?.lines ?? []).map((text) => ({ text, kind: 'note-text' })),
  ]
  return (
    <text aria-hidden="true" className="node-text" textAnchor="middle">
      {lines.map(({ text, kind }, n) => (
        <tspan
          key={text + kind}
          x={cx}
          y={cy + (n - (lines.length - 1) / 2) * lineHeight}
          dominantBaseline="central"
          className={kind}
        >
          {text.endsWith('_') ? text : `${text} `}
        </tspan>
      ))}
    </text>
  )
}

/** The text of a bar: in one line, or on a map down its name, its note and its figures each in a line of its own. */
function BarText({ box, figures, direction, note }: TextProps) {
  const isDown = direction === 'down'
  const x = box.x + (isDown ? 12 : 16)
  const lines = figures?.lines ?? []
  const rows = isDown ? 1 + (note ? 1 : 0) + (lines.length > 0 ? 1 : 0) : 1
  const yOf = (row: number): number => box.y + box.h / 2 + (row - (rows - 1) / 2) * lineHeight
  const placeOf = (isFirst: boolean, row: number) =>
    isDown && isFirst ? { x, y: yOf(row), dominantBaseline: 'central' as const } : { dx: 12 }
  return (
    <text aria-hidden="true" className="node-text" x={x} y={yOf(0)} dominantBaseline="central">
      {`${box.lines[0]} `}
      <tspan className="code-text" dx="4">
        {`${box.codes[0] ?? ''} `}
      </tspan>
      {figures && (
        <tspan className="count" dx="8">
          {`${shortCount(figures.count)} `}
        </tspan>
      )}
      {note && (
        <tspan className="note-text" {...placeOf(true, 1)}>
          {`${note} `}
        </tspan>
      )}
      {lines.map((line, n) => (
        <tspan key={line} className="note-text" {...placeOf(n === 0, rows - 1)}>
          {`${line} `}
        </tspan>
      ))}
    </text>
  )
}

/** A badge with the steps of a path that ended in this state. */
export function Order({ box, numbers }: { box: Box; numbers: number[] }) {
  const text = numbers.length > 2 ? `${numbers[0]}…${numbers.at(-1)}` : numbers.join(',')
  const w = Math.max(18, text.length * 7.2 + 10)
  return (
    <g className="order" aria-hidden="true">
      <rect x={box.x + box.w - w + 7} y={box.y - 9} width={w} height={18} rx={9} />
      <text x={box.x + box.w - w / 2 + 7} y={box.y} textAnchor="middle" dominantBaseline="central">
        {text}
      </text>
    </g>
  )
}

/** The arrowheads, one per colour. */
export const Tips = () => (
  <defs>
    {(['info', 'ok', 'warn', 'bad', 'mute'] as const).map((tone) => (
      <marker
        key={tone}
        id={`tip-${tone}`}
        viewBox="0 0 8 8"
        refX="6.500"
        refY="4"
        markerWidth="8"
        markerHeight="8"
        markerUnits="userSpaceOnUse"
        orient="auto"
      >
        <path d="M0.500,0.500L7.500,4L0.500,7.500z" className={`tip t-${tone}`} />
      </marker>
    ))}
  </defs>
)
