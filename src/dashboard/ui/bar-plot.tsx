import { useElementSize } from '@mantine/hooks'
import { grouped } from '../data/format'
import { axisTop } from './axis'

type Series = { name: string; tone: string; values: readonly number[] }
type Props = {
  labels: readonly string[]
  series: readonly Series[]
  label: string
  format?: (value: number) => string
  height?: number
}

/** Until its place is measured. */
const widthFirst = 540
const narrowBelow = 420
const narrowHeightMax = 190
const left = 44
const foot = 22

/** Bars that stand on each other, one column a day. Pointing at a column says its numbers. */
export function BarPlot({
  labels,
  series,
  label,
  format = (value) => grouped(Math.round(value)),
  height: wanted = 190,
}: Props) {
  // A unit is a pixel: its text stays as large as other text.
  const { ref, width: measured } = useElementSize<HTMLElement>()
  const width = measured || widthFirst
  const isNarrow = width < narrowBelow
  const height = isNarrow ? Math.min(wanted, narrowHeightMax) : wanted
  const totals = labels.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0))
  const top = axisTop(Math.max(...totals, 0))
  const space = (width - left) / Math.max(labels.length, 1)
  const bar = Math.min(space * 0.68, 34)
  const room = height - foot - 8
  const said = (n: number) =>
    series.map((each) => `${format(each.values[n] ?? 0)} ${each.name.toLowerCase()}`).join(', ')
  const every = Math.max(1, Math.ceil(labels.length / (isNarrow ? 4 : 8)))
  return (
    <figure ref={ref}>
      <svg viewBox={`0 0 ${width} ${height}`} className="plot" role="img" aria-label={label}>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line className="grid-line" x1={left} x2={width} y1={8 + room * (1 - part)} y2={8 + room * (1 - part)} />
            <text x={left - 8} y={8 + room * (1 - part) + 4} textAnchor="end">
              {format(top * part)}
            </text>
          </g>
        ))}
        {totals.every((total) => total === 0) && (
          <text x={left + (width - left) / 2} y={8 + room / 2 - 8} textAnchor="middle">
            Nothing in this period
          </text>
        )}
        {labels.map((name, n) => {
          let base = 8 + room
          const x = left + space * n + (space - bar) / 2
          return (
            <g key={name}>
              <title>{`${name}: ${said(n)}`}</title>
              <rect x={left + space * n} y={8} width={space} height={room} fill="transparent" />
              {series.map(({ name: what, tone, values }) => {
                const tall = (room * (values[n] ?? 0)) / top
                base -= tall
                return tall > 0 ? (
                  <rect
                    key={what}
                    className={`bar t-${tone}`}
                    x={x}
                    y={base}
                    width={bar}
                    height={Math.max(tall, 1)}
                    rx={2}
                  />
                ) : null
              })}
              {n % every === 0 && (
                <text x={x + bar / 2} y={height - 6} textAnchor="middle">
                  {name}
                </text>
              )}
            </g>
          )
        })}
      </svg>
      {series.length > 1 && (
        <figcaption className="legend">
          {series.map(({ name, tone }) => (
            <span key={name} className={`t-${tone}`}>
              <i /> {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  )
}
