import { isStatus, statuses } from '../../domain/execution/status'
import { plainName } from '../data/state-name'
import type { Lifecycle } from '../data/types'

export type Tone = 'info' | 'ok' | 'warn' | 'bad'
export type MachineState = {
  id: string
  /** The plain name. */
  label: string
  /** The code of a status; null for other states. */
  code: string | null
  description: string
  tone: Tone
  kind: 'intake' | 'active' | 'terminal'
}
type Edge = { id: string; from: string; to: string; tone: Tone; label: string | null }
/** In an edge, `intake` stands for all states before a transaction; their shared transitions are drawn once. */
export type Model = {
  states: MachineState[]
  spine: string[]
  /** States off the spine that are not final. An execution waits there for its next attempt. */
  waiting: string[]
  finals: string[]
  edges: Edge[]
}

const tones: Record<string, Tone> = { info: 'info', success: 'ok', warning: 'warn', danger: 'bad' }
const isFailure = (event: string): boolean => /failed|abandoned/.test(event)
export const group = 'intake'

/** The state beside which each final state is drawn. Final states without one get a free position. */
const near: Record<string, string> = Object.fromEntries(
  Object.entries(statuses).flatMap(([status, { drawnBeside }]) => (drawnBeside ? [[status, drawnBeside]] : [])),
)

/** Builds the map's model from the published state machine. */
export function modelOf({ states, transitions }: Lifecycle): Model {
  const machineStates = states.map(({ state, description, tone, kind }): MachineState => {
    const code = isStatus(state) ? state : null
    return { id: state, label: plainName(state), code, description, tone: tones[tone] ?? 'info', kind }
  })
  const kindOf = new Map(machineStates.map(({ id, kind }) => [id, kind]))
  const spine = wayOf(transitions, states[0]!.state, machineStates.find(({ tone }) => tone === 'ok')!.id)
  const isOn = new Set(spine)
  const waiting = machineStates.filter(({ id, kind }) => kind === 'active' && !isOn.has(id)).map(({ id }) => id)
  const finals = machineStates.filter(({ id, kind }) => kind === 'terminal' && !isOn.has(id)).map(({ id }) => id)

  const place = (id: string): string => (kindOf.get(id) === 'intake' ? group : id)
  const edges = new Map<string, Edge>()
  const toneOf = (id: string): Tone => machineStates.find((each) => each.id === id)?.tone ?? 'info'
  const put = (from: string, to: string, label: string | null) => {
    const id = `${from}>${to}`
    if (!edges.has(id)) edges.set(id, { id, from, to, tone: toneOf(to), label })
  }
  spine.slice(1).forEach((to, n) => {
    put(spine[n]!, to, null)
  })
  for (const { from, to, event } of transitions) {
    if (from === to || (isOn.has(from) && isOn.has(to)) || (isFailure(event) && isOn.has(to))) continue
    const [source, target] = [place(from), place(to)]
    if (waiting.includes(to)) put(source, to, 'temporary error')
    else if (waiting.includes(from)) put(from, target, kindOf.get(to) === 'terminal' ? 'given up' : 'next attempt')
    else if (kindOf.get(to) === 'terminal' && (source !== group || !isLateOnly(to, transitions)))
      put(source, to, isFailure(event) ? null : event)
  }
  // Failures that all waiting states share get one line to a final state; others are left out.
  const drawn = [...edges.values()].filter(({ from, to }) => {
    if (from === group && !(to in near) && kindOf.get(to) === 'terminal') return false
    return !(kindOf.get(to) === 'terminal' && to in near && from !== group && !isOn.has(to))
  })
  return { states: machineStates, spine, waiting, finals, edges: drawn }
}

const isLateOnly = (to: string, transitions: Lifecycle['transitions']): boolean =>
  transitions.every((each) => each.to !== to || each.event === 'abandoned')

/** Returns the shortest path between two states without a failure. */
function wayOf(transitions: Lifecycle['transitions'], from: string, to: string): string[] {
  const before = new Map<string, string | null>([[from, null]])
  for (const state of before.keys())
    for (const each of transitions)
      if (each.from === state && !isFailure(each.event) && !before.has(each.to)) before.set(each.to, state)
  const way: string[] = []
  for (let at: string | null | undefined = to; at; at = before.get(at)) way.unshift(at)
  return way
}

/** Returns the column of the spine under which each final state is drawn: its usual one, or the next free one. */
export function columnsOf({ spine, finals }: Model): Map<string, number> {
  const taken = new Map<string, number>()
  const free = (column: number): boolean => column >= 0 && ![...taken.values()].includes(column)
  for (const id of finals) {
    const usual = near[id] === undefined ? -1 : spine.indexOf(near[id])
    if (free(usual)) taken.set(id, usual)
  }
  for (const id of finals)
    if (!taken.has(id)) {
      const last = spine.length - 1
      let column = last
      while (!free(column) && column > 0) column -= 1
      taken.set(id, column)
    }
  return taken
}

/** Returns the names of the states that a state's lines lead to. All intake states lead to the same failures. */
export function nextOf({ edges, states }: Model, id: string): string[] {
  const find = (state: string) => states.find((each) => each.id === state)
  const own = edges.filter(({ from }) => from === id).map(({ to }) => find(to)?.label ?? 'a new attempt')
  return find(id)?.kind === 'intake' ? [...own, 'a failure'] : own
}

type Transition = { from: string | null; to: string }
/** Whether the event reports a move between states. Its type does not matter. */
export const isMove = <E extends { transition: Transition | null }>(
  event: E,
): event is E & { transition: Transition } => event.transition !== null && event.transition.from !== event.transition.to

/** Returns the line for a transition; null if none is drawn. */
export function edgeOf({ edges, states }: Model, from: string | null, to: string): string | null {
  if (from === null) return null
  const isIntake = (id: string) => states.find((each) => each.id === id)?.kind === 'intake'
  const sources = [from, ...(isIntake(from) ? [group] : [])]
  const targets = [to, ...(isIntake(to) ? [group] : [])]
  for (const source of sources)
    for (const target of targets) {
      const id = `${source}>${target}`
      if (edges.some((edge) => edge.id === id)) return id
    }
  return null
}
