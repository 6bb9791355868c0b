import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { grouped } from '../data/format'

type Series = { name: string; tone: string; values: readonly (number | null)[] }
type Props = {
  labels: readonly string[]
  series: readonly Series[]
  label: string
  format?: (value: number) => string
  height?: number
}

const narrowBelow = 420
const narrowHeightMax = 190
const barWidthMax = 34
/** Space around the bars for the axis labels. */
const [left, foot, head] = [44, 22, 8]

/** Position of the bars. All lengths are in pixels. */
type Frame = { width: number; height: number; plotHeight: number; columnWidth: number; top: number }

/** Stacked bars, one column per day. Pointing at a column shows its numbers. */
export function BarPlot({
  labels,
  series,
  label,
  format = (value) => grouped(Math.round(value)),
  height: wanted = 190,
}: Props) {
  // One unit is one pixel, so labels have the size of all other text.
  const { ref, width } = useWidth<HTMLDivElement>()
  const isNarrow = width < narrowBelow
  const height = isNarrow ? Math.min(wanted, narrowHeightMax) : wanted
  const totals = labels.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0))
  const frame: Frame = {
    width,
    height,
    plotHeight: height - foot - head,
    columnWidth: Math.max(width - left, 0) / Math.max(labels.length, 1),
    top: axisTop(Math.max(...totals, 0)),
  }
  const labelEvery = Math.max(1, Math.ceil(labels.length / (isNarrow ? 4 : 8)))
  return (
    <figure>
      <div ref={ref} />
      <svg width={width} height={height} className="plot" role="img" aria-label={label}>
        <Grid frame={frame} format={format} isEmpty={totals.every((total) => total === 0)} />
        {labels.map((name, n) => (
          <Column
            key={name}
            frame={frame}
            index={n}
            name={name}
            isLabelled={n % labelEvery === 0}
            series={series}
            format={format}
          />
        ))}
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

type GridProps = { frame: Frame; format: (value: number) => string; isEmpty: boolean }
const Grid = ({ frame: { width, plotHeight, top }, format, isEmpty }: GridProps) => (
  <>
    {[0, 0.5, 1].map((part) => {
      const y = head + plotHeight * (1 - part)
      return (
        <g key={part}>
          <line className="grid-line" x1={left} x2={width} y1={y} y2={y} />
          {!isEmpty && (
            <text x={left - 8} y={y + 4} textAnchor="end">
              {format(top * part)}
            </text>
          )}
        </g>
      )
    })}
    {isEmpty && (
      <text x={left + (width - left) / 2} y={head + plotHeight / 2 - 8} textAnchor="middle">
        Nothing in this period
      </text>
    )}
  </>
)

/** Describes a day. A day without a value, such as a mean without any success, gets words instead of 0. */
function wordsOf({ name, values }: Series, index: number, format: (value: number) => string): string {
  const value = values[index] ?? null
  return value === null ? `no ${name.toLowerCase()}` : `${format(value)} ${name.toLowerCase()}`
}

type ColumnProps = {
  frame: Frame
  index: number
  name: string
  isLabelled: boolean
  series: readonly Series[]
  format: (value: number) => string
}
function Column({ frame, index, name, isLabelled, series, format }: ColumnProps) {
  const { height, plotHeight, columnWidth, top } = frame
  const barWidth = Math.min(columnWidth * 0.68, barWidthMax)
  const columnLeft = left + columnWidth * index
  const barLeft = columnLeft + (columnWidth - barWidth) / 2
  const numbers = series.map((each) => wordsOf(each, index, format)).join(', ')
  let base = head + plotHeight
  return (
    <g>
      <title>{`${name}: ${numbers}`}</title>
      <rect x={columnLeft} y={head} width={columnWidth} height={plotHeight} fill="transparent" />
      {series.map(({ name: what, tone, values }) => {
        const tall = (plotHeight * (values[index] ?? 0)) / top
        base -= tall
        return tall > 0 ? (
          <rect
            key={what}
            className={`bar t-${tone}`}
            x={barLeft}
            y={base}
            width={barWidth}
            height={Math.max(tall, 1)}
            rx={2}
          />
        ) : null
      })}
      {isLabelled && (
        <text x={barLeft + barWidth / 2} y={height - 6} textAnchor="middle">
          {name}
        </text>
      )}
    </g>
  )
}

/**
 * Returns the upper end of an axis, at least the highest value. The end and its half have one significant digit, so no
 * label is rounded. The end is at least 2, so half of a count is a whole number.
 */
export function axisTop(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  return [2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= most)!
}

/**
 * Returns the width in pixels of the element with `ref`. It is measured before the first paint and after each change of
 * width. Use an element without fixed height: content drawn at this width can then change height without another
 * measurement.
 */
function useWidth<E extends HTMLElement>(): { ref: RefObject<E | null>; width: number } {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current!
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
