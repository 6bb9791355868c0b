import { grouped } from '../data/format'
import type { Box } from './layout'

/** Writes a count briefly, and an unknown count as a dash. */
export const shortCount = (count: number | null): string =>
  count === null ? '–' : count < 10_000 ? grouped(count) : `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`

/** What a state shows in addition to its name: its count, and lines about durations. */
export type Figures = { count: number | null; lines: readonly string[] }

type TextProps = { box: Box; figures: Figures | null; direction: 'across' | 'down'; note: string | null }
const lineHeight = 14.5

export function NodeText({ box, figures, direction, note }: TextProps) {
  const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2]
  if (box.shape === 'bar') {
    const turned =
      direction === 'down'
        ? { transform: `rotate(-90 ${cx} ${cy})`, textAnchor: 'middle' as const, x: cx }
        : { x: box.x + 16 }
    return (
      <text aria-hidden="true" className="node-text" y={cy} dominantBaseline="central" {...turned}>
        {`${box.lines[0]} `}
        {figures && (
          <tspan className="count" dx="8">
            {`${shortCount(figures.count)} `}
          </tspan>
        )}
        {[note, ...(figures?.lines ?? [])].map(
          (said) =>
            said && (
              <tspan key={said} className="note-text" dx="12">
                {`${said} `}
              </tspan>
            ),
        )}
      </text>
    )
  }
  const lines = [
    ...box.lines.map((text) => ({ text, kind: 'name' })),
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
