import { Fragment, type KeyboardEvent } from 'react'
import type { Box } from './layout'
import type { MachineState } from './model'
import { type Figures, NodeText, Order, shortCount } from './node-parts'

type Props = {
  box: Box
  state: MachineState
  /** The names of the states that follow. */
  next: string[]
  direction: 'across' | 'down'
  /** Null if the map shows the path of one execution. */
  figures: Figures | null
  /** The steps of the path that ended here. */
  steps: number[] | undefined
  isNow: boolean
  isSelected: boolean
  /** The coloured share of the box, from 0 to 1. */
  heat: number
  onSelect: ((state: string) => void) | undefined
  onPoint: (state: string) => void
  /** Whether Tab stops here. */
  isStop: boolean
  onStop: (state: string) => void
}

const latenessTones = { LATE: 'warn', OVERDUE: 'bad' } as const

/** One state on the map: its box, name and figures. With `onSelect` it is a button. */
export function MapNode(props: Props) {
  const { box, state, direction, figures, steps, isNow, isSelected, heat, onSelect } = props
  const classes = [
    'node',
    `t-${(figures?.lateness && latenessTones[figures.lateness]) ?? state.tone}`,
    `is-${box.shape}`,
    isNow && 'is-now',
    steps && 'is-seen',
    figures?.lateness && 'is-late',
    isSelected && 'is-selected',
  ]
  return (
    <g className={classes.filter(Boolean).join(' ')} aria-label={labelOf(props)} {...roleOf(props)}>
      {!onSelect && <title>{state.description}</title>}
      {isNow && <rect className="ring" x={box.x - 4} y={box.y - 4} width={box.w + 8} height={box.h + 8} rx={13} />}
      {[box.rail, box].map(
        (part) =>
          part && (
            <Fragment key={part === box ? 'box' : 'rail'}>
              <rect className="face" {...rectOf(part)} rx={part === box ? 10 : 5} />
              <rect className="heat" {...rectOf(part)} rx={part === box ? 10 : 5} opacity={heat * 0.3} />
            </Fragment>
          ),
      )}
      {box.shape === 'final' && (
        <rect className="inner" x={box.x + 3} y={box.y + 3} width={box.w - 6} height={box.h - 6} rx={7.5} />
      )}
      <NodeText
        box={box}
        figures={figures}
        direction={direction}
        note={box.shape === 'bar' ? state.description : null}
      />
      {steps && <Order box={box} numbers={steps} />}
    </g>
  )
}

/** Returns the label for screen readers: the name and code, the figures, and its place on the path. */
function labelOf({ box, state, figures, steps, isNow }: Props): string {
  const name = state.code === null ? state.label : `${state.label} ${state.code}`
  const counted = figures && [
    figures.count === null ? `${name}, count unknown` : `${name} ${shortCount(figures.count)}`,
    state.kind === 'terminal' && figures.count !== null && 'in the last 24 hours',
    box.shape === 'bar' && state.description,
    ...figures.lines,
    // The label repeats the visible text as it is, so that people who speak to their computer can name it.
    figures.lateness === 'LATE' && 'late',
  ]
  const passed = isNow ? 'where it is now' : steps && `step ${steps.join(', ')}`
  return [counted ? counted.filter(Boolean).join(' ') : name, passed].filter(Boolean).join(', ')
}

/** Returns what the label leaves out: the unit of the count, and where the lines lead. */
export const hintOf = ({ state, figures, next }: Pick<Props, 'state' | 'figures' | 'next'>): string =>
  [
    figures && figures.count !== null && `Number of executions${state.kind === 'terminal' ? '' : ' now'}.`,
    next.length > 0 && `Leads to ${next.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

function roleOf(props: Props) {
  const { isSelected, onSelect, onPoint, isStop, onStop } = props
  const { id } = props.box
  if (!onSelect) return { role: 'img' }
  return {
    role: 'button',
    'aria-description': hintOf(props),
    tabIndex: isStop ? 0 : -1,
    'aria-pressed': isSelected,
    onClick: () => onSelect(id),
    onKeyDown: (event: KeyboardEvent) => {
      const step = steps[event.key]
      if (step) {
        event.preventDefault()
        const boxes = [...event.currentTarget.parentElement!.querySelectorAll<SVGElement>('[role=button]')]
        boxes.at((boxes.indexOf(event.currentTarget as SVGElement) + step) % boxes.length)!.focus()
      }
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      onSelect(id)
    },
    onMouseEnter: () => onPoint(id),
    onFocus: () => {
      onPoint(id)
      onStop(id)
    },
  }
}

export const rectOf = ({ x, y, w, h }: Pick<Box, 'x' | 'y' | 'w' | 'h'>) => ({ x, y, width: w, height: h })
