import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useEvents } from '../live/live'
import { type Box, layoutOf } from './layout'
import { edgeOf, isMove, type Model } from './model'
import { travel, useScrolledTo } from './motion'
import { type Figures, NodeText, Order, shortCount, Tips } from './node-parts'

export type Walked = { from: string | null; to: string }
type Props = {
  model: Model
  direction: 'across' | 'down'
  label: string
  /** By state; one that is not named holds nothing. */
  figures?: Record<string, Figures>
  path?: Walked[]
  selected?: string | null
  onSelect?: (state: string) => void
  isLive?: boolean
}

const dotsMax = 14
/** The machine as a picture: where executions are now, or the way that one of them went. */
export function MachineMap({ model, direction, label, figures, path, selected, onSelect, isLive = false }: Props) {
  const hasFigures = figures !== undefined
  const layout = useMemo(() => layoutOf(model, { direction, figures: hasFigures }), [model, direction, hasFigures])
  const states = useMemo(() => new Map(model.states.map((state) => [state.id, state])), [model])
  const [pointed, setPointed] = useState<string | null>(null)
  const dots = useRef<SVGGElement>(null)
  const countIn = (id: string): number => figures?.[id]?.count ?? 0
  const walked = useMemo(() => walkedOf(model, path), [model, path])
  const current = path?.at(-1)?.to ?? null
  const most = Math.max(1, ...model.states.filter(({ kind }) => kind !== 'terminal').map(({ id }) => countIn(id)))
  const ended = model.states.reduce((sum, { id, kind }) => sum + (kind === 'terminal' ? countIn(id) : 0), 0)

  useEvents((events) => {
    if (!dots.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    for (const { transition } of events.filter(isMove).slice(-dotsMax)) {
      const id = edgeOf(model, transition.from, transition.to)
      const line = layout.lines.find((each) => each.id === id)
      if (line && dots.current.childElementCount < dotsMax) travel(dots.current, line.d, line.tone)
    }
  }, isLive)

  const heat = ({ id, shape }: Box): number => {
    const count = countIn(id)
    if (count === 0) return 0
    return shape === 'final' || id === model.spine.at(-1)
      ? Math.sqrt(count / Math.max(ended, 1))
      : Math.log1p(count) / Math.log1p(most)
  }
  const scroller = useScrolledTo(layout.boxes.find(({ id }) => id === current))

  return (
    <div className={`map-scroll is-${direction}`} ref={scroller} role="region" aria-label={label} tabIndex={0}>
      <svg
        className={`map ${path ? 'has-path' : ''}`}
        viewBox={`0 0 ${layout.w} ${layout.h}`}
        style={{ minWidth: layout.w }}
        role="group"
        aria-label={`${label}: states`}
      >
        <Tips />
        <rect className="frame" {...rectOf(layout.frame)} rx={14} />
        {direction === 'across' && (
          <text className="frame-label" x={layout.frame.x + 14} y={layout.frame.y + 16}>
            Before anything is sent
          </text>
        )}
        <circle className="origin" cx={layout.lines[0]!.lx} cy={layout.lines[0]!.ly} r={5} />
        {layout.lines.map((line) => {
          const isSeen = walked.edges.has(line.id)
          const tip = path ? (isSeen ? line.tone : 'mute') : line.tone === 'info' ? 'mute' : line.tone
          return (
            <path
              key={line.id}
              d={line.d}
              className={`line t-${line.tone} ${isSeen ? 'is-seen' : ''}`}
              markerEnd={`url(#tip-${tip})`}
            />
          )
        })}
        <g ref={dots} />
        {layout.lines.map((line) =>
          line.label ? (
            <text
              key={line.id}
              x={line.lx}
              y={line.ly + 3.5}
              textAnchor={line.anchor}
              className={`line-label ${walked.edges.has(line.id) ? 'is-seen' : ''}`}
            >
              {line.label}
            </text>
          ) : null,
        )}
        {layout.boxes.map((box) => {
          const { label: name, tone, description } = states.get(box.id)!
          const numbers = walked.states.get(box.id)
          const shown = figures ? (figures[box.id] ?? { count: 0, lines: [] }) : null
          const isNow = current === box.id
          const said = [
            shown === null
              ? name
              : [`${name} ${shortCount(shown.count)}`, box.shape === 'bar' && description, ...shown.lines]
                  .filter(Boolean)
                  .join(' '),
            isNow ? 'where it is now' : numbers ? `step ${numbers.join(', ')}` : null,
          ]
          const activate = (event: KeyboardEvent) => {
            if (event.key !== 'Enter' && event.key !== ' ') return
            event.preventDefault()
            onSelect?.(box.id)
          }
          const classes = [
            'node',
            `t-${tone}`,
            `is-${box.shape}`,
            isNow && 'is-now',
            numbers && 'is-seen',
            selected === box.id && 'is-selected',
          ]
          const acts = onSelect
            ? {
                role: 'button',
                tabIndex: 0,
                'aria-pressed': selected === box.id,
                onClick: () => onSelect(box.id),
                onKeyDown: activate,
                onMouseEnter: () => setPointed(box.id),
                onFocus: () => setPointed(box.id),
              }
            : { role: 'img' }
          return (
            <g
              key={box.id}
              className={classes.filter(Boolean).join(' ')}
              aria-label={said.filter(Boolean).join(', ')}
              {...acts}
            >
              {!onSelect && <title>{description}</title>}
              {isNow && (
                <rect className="ring" x={box.x - 4} y={box.y - 4} width={box.w + 8} height={box.h + 8} rx={13} />
              )}
              <rect className="face" {...rectOf(box)} rx={10} />
              <rect className="heat" {...rectOf(box)} rx={10} opacity={heat(box) * 0.3} />
              {box.shape === 'final' && (
                <rect className="inner" x={box.x + 3} y={box.y + 3} width={box.w - 6} height={box.h - 6} rx={7.5} />
              )}
              <NodeText
                box={box}
                figures={shown}
                direction={direction}
                note={box.shape === 'bar' ? description : null}
              />
              {numbers && <Order box={box} numbers={numbers} />}
            </g>
          )
        })}
      </svg>
      {onSelect && (
        <p className="map-hint">
          {pointed ? states.get(pointed)?.description : 'Point at a state to read what happens there.'}
        </p>
      )}
    </div>
  )
}

const rectOf = ({ x, y, w, h }: { x: number; y: number; w: number; h: number }) => ({ x, y, width: w, height: h })

function walkedOf(model: Model, path: Walked[] | undefined) {
  const edges = new Set<string>()
  const states = new Map<string, number[]>()
  path?.forEach(({ from, to }, n) => {
    const id = from === null ? `>${to}` : edgeOf(model, from, to)
    if (id) edges.add(id)
    if (from !== to) states.set(to, [...(states.get(to) ?? []), n + 1])
  })
  return { edges, states }
}
