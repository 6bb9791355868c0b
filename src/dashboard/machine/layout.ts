import { columnsOf, group, type Model, type Tone } from './model'

type Rect = { x: number; y: number; w: number; h: number }
export type Box = Rect & {
  id: string
  /** The name of the state. */
  lines: string[]
  /** The code of a status below its name. */
  codes: string[]
  shape: 'step' | 'bar' | 'final'
  /** The part of a bar beside the line of the money, if its text has a box of its own. */
  rail: Rect | null
}
type Line = {
  id: string
  d: string
  tone: Tone
  label: string | null
  lx: number
  ly: number
  anchor: 'start' | 'middle' | 'end'
}
export type Layout = {
  w: number
  h: number
  boxes: Box[]
  lines: Line[]
  frame: Rect
}
type Point = [number, number]

/** `direction` is the direction of the money. With `figures`, each box has room for its count and times. */
export type Shape = { direction: 'across' | 'down'; figures: boolean }

/**
 * One unit is one pixel. A map is never scaled down, which keeps its text readable. A map across fits a screen of 1,440
 * pixels, and a map down fits a phone's 390.
 */
const sizes = {
  across: { along: 84, across: 50, gap: 18, bar: 38, finalAlong: 98, finalAcross: 68, pad: 12, near: 52, far: 42 },
  down: { along: 46, across: 118, gap: 22, bar: 12, finalAlong: 62, finalAcross: 112, pad: 8, near: 31, far: 25 },
} as const
/** Pixels that a box grows for its figures, and a final box for its count. */
const room = { across: 58, down: 44, final: 14 } as const
/** A map down has the text of its bar in a box above everything: beside the line it would run upwards. */
const headLong = { figures: 58, plain: 42 } as const
const headAlong = 4

/** The letters of a code in a line of a final box. */
const codeMost = 13

/** Breaks a label into lines that fit a box. */
function wrapped(label: string, most: number): string[] {
  const parts = label.split(/(?<=_)|\s/)
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    const joined = last === undefined ? part : last.endsWith('_') ? last + part : `${last} ${part}`
    if (last !== undefined && joined.length <= most) lines[lines.length - 1] = joined
    else lines.push(part)
  }
  return lines
}

/** A box in pixels: position and size `along` the direction of the money, and `across` it. */
type Place = { along: number; across: number; long: number; wide: number }
type Size = { along: number; across: number; gap: number; bar: number } & {
  finalAlong: number
  finalAcross: number
  pad: number
  near: number
  far: number
}
/** Positions of the states. `frame` surrounds those before a transaction; `start` is the beginning of the line. */
type Plan = {
  at: ReadonlyMap<string, Place>
  /** The boxes with the text of bars, where that is not in the bar itself. */
  heads: ReadonlyMap<string, Place>
  frame: Place
  start: number
  spineAcross: number
  size: Size
}

const middleOf = ({ along, long }: Place): number => along + long / 2
const pointIn =
  (direction: Shape['direction']) =>
  (along: number, across: number): Point =>
    direction === 'down' ? [across, along] : [along, across]

/**
 * Lays out the map like a railway map. The path of the money is one straight line. A final state hangs below the step
 * that usually leads to it, and the waiting state runs beside the line. Pure: it measures no text.
 */
export function layoutOf(model: Model, shape: Shape): Layout {
  const isDown = shape.direction === 'down'
  const plan = planOf(model, shape)
  const { frame } = plan
  const point = pointIn(shape.direction)
  const boxes = boxesOf(model, plan, isDown)
  const places = new Map([...plan.at, [group, frame]])
  const lines: Line[] = model.edges.flatMap(({ id, from, to, tone, label }) => {
    const [a, b] = [places.get(from), places.get(to)]
    if (!a || !b) return []
    const { points, labelAt, anchor } = pathOf({ from, to }, a, b, { model, plan, isDown, point })
    const [lx, ly] = labelAt ?? [0, 0]
    return [{ id, tone, d: rounded(points), label: labelAt ? label : null, lx, ly, anchor }]
  })
  return {
    w: Math.max(...boxes.map((box) => box.x + box.w)) + (isDown ? 8 : 26),
    h: Math.max(...boxes.map((box) => box.y + box.h)) + (isDown ? 26 : 10),
    boxes,
    lines: [beginningOf(model, plan, point), ...lines],
    frame: rectIn(frame, isDown),
  }
}

/** Returns the size of each kind of box, including room for figures. */
function sizeOf({ direction, figures }: Shape): Size {
  const plain = sizes[direction]
  if (!figures) return plain
  return direction === 'down'
    ? { ...plain, along: plain.along + room.down, finalAlong: plain.finalAlong + room.final }
    : { ...plain, across: plain.across + room.across, finalAcross: plain.finalAcross + room.final }
}

function planOf(model: Model, shape: Shape): Plan {
  const isDown = shape.direction === 'down'
  const size = sizeOf(shape)
  const kinds = new Map(model.states.map(({ id, kind }) => [id, kind]))
  const at = new Map<string, Place>()
  const barAcross = 6
  const head = isDown && model.waiting.length > 0 ? (shape.figures ? headLong.figures : headLong.plain) : 0
  const start = isDown ? head + 30 : 22
  const spineAcross = barAcross + (model.waiting.length > 0 ? size.bar + size.near + size.pad + (isDown ? 0 : 16) : 20)
  let cursor = start + size.pad
  model.spine.forEach((id, n) => {
    const leavesFrame = n > 0 && kinds.get(id) !== 'intake' && kinds.get(model.spine[n - 1]!) === 'intake'
    if (leavesFrame) cursor += size.pad + (isDown ? 10 : 8)
    at.set(id, { along: cursor, across: spineAcross, long: size.along, wide: size.across })
    cursor += size.along + size.gap
  })
  const intake = model.spine.filter((id) => kinds.get(id) === 'intake').map((id) => at.get(id)!)
  const frameAlong = intake[0]!.along - size.pad
  const frame = {
    along: frameAlong,
    across: spineAcross - size.pad - (isDown ? 0 : 16),
    long: intake.at(-1)!.along + size.along + size.pad - frameAlong,
    wide: size.across + 2 * size.pad + (isDown ? 0 : 16),
  }
  const columns = columnsOf(model)
  for (const id of model.finals) {
    const column = at.get(model.spine[columns.get(id)!]!)!
    const along = column.along + (size.along - size.finalAlong) / 2
    const across = frame.across + frame.wide + size.far
    at.set(id, { along, across, long: size.finalAlong, wide: size.finalAcross })
  }
  const lastActive = model.spine.filter((id) => kinds.get(id) === 'active').at(-1)!
  const barEnd = at.get(lastActive)!.along + size.along
  const heads = new Map<string, Place>()
  const barAlong = head > 0 ? headAlong + head : frame.along
  for (const id of model.waiting) {
    at.set(id, { along: barAlong, across: barAcross, long: barEnd - barAlong, wide: size.bar })
    const wide = frame.across + frame.wide + size.far + size.finalAcross - barAcross
    if (head > 0) heads.set(id, { along: headAlong, across: barAcross, long: head, wide })
  }
  return { at, heads, frame, start, spineAcross, size }
}

const rectIn = ({ along, across, long, wide }: Place, isDown: boolean): Rect =>
  isDown ? { x: across, y: along, w: wide, h: long } : { x: along, y: across, w: long, h: wide }

function boxesOf(model: Model, { at, heads }: Plan, isDown: boolean): Box[] {
  const states = new Map(model.states.map((state) => [state.id, state]))
  return [...at].map(([id, place]): Box => {
    const { kind, label, code } = states.get(id)!
    const head = heads.get(id)
    const rail = head ? rectIn(place, isDown) : null
    const shape = model.waiting.includes(id) ? 'bar' : kind === 'terminal' ? 'final' : 'step'
    const most = kind === 'terminal' ? 13 : isDown ? 21 : 12
    const lines = shape === 'bar' ? [label] : wrapped(label, most)
    const codes = code === null ? [] : wrapped(code, codeMost)
    return { id, ...rectIn(head ?? place, isDown), shape, lines, codes, rail }
  })
}

/** Returns the line into the first state: a deposit was found. */
function beginningOf(
  { spine }: Model,
  { at, start, spineAcross, size }: Plan,
  point: ReturnType<typeof pointIn>,
): Line {
  const first = spine[0]!
  const across = spineAcross + size.across / 2
  const [lx, ly] = point(start - 12, across)
  const end = point(at.get(first)!.along - 1.5, across)
  return { id: `>${first}`, tone: 'info', d: `M${lx},${ly}L${end}`, label: null, lx, ly, anchor: 'middle' }
}

type Drawing = { model: Model; plan: Plan; isDown: boolean; point: ReturnType<typeof pointIn> }
type LineShape = { points: Point[]; labelAt: Point | null; anchor: Line['anchor'] }
const plain = (points: Point[]): LineShape => ({ points, labelAt: null, anchor: 'middle' })

/**
 * Returns the corners of the line from the place `a` of one state to the place `b` of another, and its label's
 * position.
 */
function pathOf({ from, to }: { from: string; to: string }, a: Place, b: Place, drawing: Drawing): LineShape {
  const { model, point } = drawing
  const isFinal = model.finals.includes(to) || to === model.spine.at(-1)
  if (model.spine.includes(from) && model.spine.includes(to)) {
    const across = a.across + a.wide / 2
    return plain([point(a.along + a.long, across), point(b.along - 1.5, across)])
  }
  if (model.waiting.includes(to)) return besideBar(a, b, true, drawing)
  if (model.waiting.includes(from)) return isFinal ? aroundAll(a, b, drawing) : besideBar(b, a, false, drawing)
  if (from === group || middleOf(a) === middleOf(b))
    return plain([point(middleOf(b), a.across + a.wide), point(middleOf(b), b.across - 1.5)])
  const [along, across] = [middleOf(a), b.across + b.wide / 2]
  return plain([point(along, a.across + a.wide), point(along, across), point(b.along - 1.5, across)])
}

/** Returns one of two parallel lines: up to the waiting state's bar, or back from it. */
function besideBar(near: Place, bar: Place, isUp: boolean, { plan, isDown, point }: Drawing): LineShape {
  const isFrame = near === plan.frame
  const column = isFrame && !isDown ? near.along + near.long * 0.42 : middleOf(near)
  const along = column + (isUp ? -8 : 8)
  const barEdge = bar.across + bar.wide
  const points = isUp
    ? [point(along, near.across), point(along, barEdge + 1.5)]
    : [point(along, barEdge), point(along, near.across - 1.5)]
  const labelAt = isFrame && !isDown ? point(along + (isUp ? -6 : 6), (near.across + barEdge) / 2) : null
  return { points, labelAt, anchor: isUp ? 'end' : 'start' }
}

/** Returns the line from the end of the waiting state's bar, around everything else, to a final state. */
function aroundAll(a: Place, b: Place, { plan, isDown, point }: Drawing): LineShape {
  const out = Math.max(...[...plan.at.values(), plan.frame].map(({ along, long }) => along + long)) + 16
  const [c0, c1] = [a.across + a.wide / 2, b.across + b.wide / 2]
  const points = [point(a.along + a.long, c0), point(out, c0), point(out, c1), point(b.along + b.long + 1.5, c1)]
  if (isDown) return plain(points)
  return { points, labelAt: point((a.along + a.long + out) / 2 - 2, c0 - 9), anchor: 'middle' }
}

/** Returns an SVG path of straight pieces with rounded corners. */
function rounded(points: Point[], radius = 9): string {
  const towards = (from: Point, to: Point): Point => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1
    const reach = Math.min(radius, length / 2) / length
    return [from[0] + (to[0] - from[0]) * reach, from[1] + (to[1] - from[1]) * reach]
  }
  let path = `M${points[0]}`
  for (let n = 1; n < points.length - 1; n++) {
    const [before, corner, after] = [points[n - 1]!, points[n]!, points[n + 1]!]
    path += `L${towards(corner, before)}Q${corner} ${towards(corner, after)}`
  }
  return `${path}L${points.at(-1)}`
}
