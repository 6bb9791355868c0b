import { useMemo, useRef, useState } from 'react'
import { stateName } from '../data/state-name'
import { useEvents } from '../live/live'
import { type Box, type Layout, layoutOf } from './layout'
import { MapNode, rectOf } from './map-node'
import { edgeOf, isMove, type Model, nextOf } from './model'
import { travel, useScrolledTo } from './motion'
import { type Figures, Tips } from './node-parts'

type Walked = { from: string | null; to: string }
type Props = {
  model: Model
  direction: 'across' | 'down'
  label: string
  /** Figures of each state. A state without an entry is unknown. */
  figures?: Record<string, Figures>
  path?: Walked[]
  selected?: string | null
  onSelect?: (state: string) => void
  isLive?: boolean
}

const dotsMax = 14
const unknown: Figures = { count: null, lines: [], lateness: null }

/** The state machine as a map. Shows where executions are now, or the path of one execution. */
export function MachineMap({ model, direction, label, figures, path, selected, onSelect, isLive = false }: Props) {
  const hasFigures = figures !== undefined
  const layout = useMemo(() => layoutOf(model, { direction, figures: hasFigures }), [model, direction, hasFigures])
  const states = useMemo(() => new Map(model.states.map((state) => [state.id, state])), [model])
  const [pointed, setPointed] = useState<string | null>(null)
  /** The map is one stop for Tab: the last box with the focus. Arrow keys go from box to box. */
  const [stop, setStop] = useState(layout.boxes[0]!.id)
  const dots = useTravels(model, layout, isLive)
  const walked = useMemo(() => walkedOf(model, path), [model, path])
  const current = path?.at(-1)?.to ?? null
  const heat = heatIn(model, figures)

  const scroller = useScrolledTo(layout.boxes.find(({ id }) => id === current))

  return (
    <div
      className={`map-scroll is-${direction}`}
      ref={scroller}
      role="region"
      aria-label={label}
      tabIndex={onSelect ? undefined : 0}
    >
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
        <Lines lines={layout.lines} walked={walked.edges} hasPath={path !== undefined} />
        <g ref={dots} />
        <LineLabels lines={layout.lines} walked={walked.edges} />
        {layout.boxes.map((box) => (
          <MapNode
            key={box.id}
            box={box}
            state={states.get(box.id)!}
            next={nextOf(model, box.id)}
            direction={direction}
            figures={figures ? (figures[box.id] ?? unknown) : null}
            steps={walked.states.get(box.id)}
            isNow={current === box.id}
            isSelected={selected === box.id}
            heat={heat(box)}
            onSelect={onSelect}
            onPoint={setPointed}
            isStop={stop === box.id}
            onStop={setStop}
          />
        ))}
      </svg>
      {onSelect && (
        <p className="map-hint">
          {pointed
            ? `${stateName(pointed)}: ${states.get(pointed)?.description}`
            : 'Point at a state to read what happens there.'}
        </p>
      )}
    </div>
  )
}

/** Animates a dot along a line at each transition, in the group with the returned ref. */
function useTravels(model: Model, layout: Layout, isLive: boolean) {
  const dots = useRef<SVGGElement>(null)
  useEvents((events) => {
    if (!dots.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    for (const { transition } of events.filter(isMove).slice(-dotsMax)) {
      const id = edgeOf(model, transition.from, transition.to)
      const line = layout.lines.find((each) => each.id === id)
      if (line && dots.current.childElementCount < dotsMax) travel(dots.current, line.d, line.tone)
    }
  }, isLive)
  return dots
}

type LineProps = { lines: Layout['lines']; walked: ReadonlySet<string> }
function Lines({ lines, walked, hasPath }: LineProps & { hasPath: boolean }) {
  return lines.map(({ id, d, tone }) => {
    const isSeen = walked.has(id)
    const tip = hasPath ? (isSeen ? tone : 'mute') : tone === 'info' ? 'mute' : tone
    return (
      <path key={id} d={d} className={`line t-${tone} ${isSeen ? 'is-seen' : ''}`} markerEnd={`url(#tip-${tip})`} />
    )
  })
}

/** The labels of the lines, drawn after the dots, which would otherwise cover them. */
function LineLabels({ lines, walked }: LineProps) {
  return lines.map(({ id, label, lx, ly, anchor }) =>
    label === null ? null : (
      <text
        key={id}
        x={lx}
        y={ly + 3.5}
        textAnchor={anchor}
        className={`line-label ${walked.has(id) ? 'is-seen' : ''}`}
      >
        {label}
      </text>
    ),
  )
}

/** The fill of the fullest box that is not late. Strong colour is for states that need attention. */
const calmMost = 0.4
/** The fill of a late box, of an overdue box, and of a failed state with any execution. */
const fills = { LATE: 0.6, OVERDUE: 1, FAILED: 0.45 } as const

/**
 * Returns how full to draw a box, from 0 to 1. A late box is drawn fuller than its count, however large or small. A
 * final state is compared with all ended executions, any other with the fullest state, on a logarithmic scale.
 */
function heatIn({ states, spine }: Model, figures: Props['figures']): (box: Box) => number {
  const countIn = (id: string): number => figures?.[id]?.count ?? 0
  const most = Math.max(1, ...states.filter(({ kind }) => kind !== 'terminal').map(({ id }) => countIn(id)))
  const ended = states.reduce((sum, { id, kind }) => sum + (kind === 'terminal' ? countIn(id) : 0), 0)
  const tones = new Map(states.map(({ id, tone }) => [id, tone]))
  return ({ id, shape }) => {
    const count = countIn(id)
    const lateness = figures?.[id]?.lateness
    if (lateness) return fills[lateness]
    if (count === 0) return 0
    if (shape !== 'final' && id !== spine.at(-1)) return (calmMost * Math.log1p(count)) / Math.log1p(most)
    return Math.max(tones.get(id) === 'bad' ? fills.FAILED : 0, Math.sqrt(count / Math.max(ended, 1)))
  }
}

/** Returns the lines of a path, and the states it reached with the steps that led there. */
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
