import { columnsOf, group, type Model, type Tone } from './model'

export type Box = {
  id: string
  x: number
  y: number
  w: number
  h: number
  lines: string[]
  shape: 'step' | 'bar' | 'final'
}
export type Line = {
  id: string
  d: string
  tone: Tone
  label: string | null
  lx: number
  ly: number
  anchor: 'start' | 'middle' | 'end'
}
type Layout = {
  w: number
  h: number
  boxes: Box[]
  lines: Line[]
  frame: { x: number; y: number; w: number; h: number }
}
type Point = [number, number]

/** Which way the money runs; `figures`: there is room in each box for how many are in it, and for how long. */
export type Shape = { direction: 'across' | 'down'; figures: boolean }

/**
 * One unit is one pixel, and a map is never drawn smaller: its text is as large as it says. Across it fits a screen of
 * 1,440 pixels, downwards a phone's of 390.
 */
const sizes = {
  across: { along: 84, across: 46, gap: 18, bar: 38, finalAlong: 98, finalAcross: 58, pad: 12, near: 52, far: 42 },
  down: { along: 44, across: 118, gap: 14, bar: 26, finalAlong: 54, finalAcross: 112, pad: 8, near: 24, far: 18 },
} as const
/** How much higher a box is with figures in it, and one that is final with its count. */
const room = { across: 54, down: 34, final: 14 } as const

/** A label in lines that fit a box. */
export function wrapped(label: string, most = 13): string[] {
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

/**
 * A map like that of a railway: the way of the money is one straight line, what ends it hangs below the step that it
 * usually ends at, and the state that waits for another attempt runs beside the line. Pure: no text is measured.
 */
export function layoutOf(model: Model, { direction, figures }: Shape): Layout {
  const isDown = direction === 'down'
  const given = sizes[direction]
  const [more, count] = figures ? [room[direction], room.final] : [0, 0]
  const size = isDown
    ? { ...given, along: given.along + more, finalAlong: given.finalAlong + count }
    : { ...given, across: given.across + more, finalAcross: given.finalAcross + count }
  const label = new Map(model.states.map(({ id, label }) => [id, label]))
  const kinds = new Map(model.states.map(({ id, kind }) => [id, kind]))
  const at = new Map<string, { along: number; across: number; long: number; wide: number }>()

  const start = isDown ? 30 : 22
  const barAcross = 6
  const spineAcross = barAcross + (model.waiting.length > 0 ? size.bar + size.near + size.pad + (isDown ? 0 : 16) : 20)
  let cursor = start + size.pad
  model.spine.forEach((id, n) => {
    const leaves = n > 0 && kinds.get(id) !== 'intake' && kinds.get(model.spine[n - 1]!) === 'intake'
    if (leaves) cursor += size.pad + (isDown ? 10 : 8)
    at.set(id, { along: cursor, across: spineAcross, long: size.along, wide: size.across })
    cursor += size.along + size.gap
  })
  const intake = model.spine.filter((id) => kinds.get(id) === 'intake').map((id) => at.get(id)!)
  const frame = {
    along: intake[0]!.along - size.pad,
    across: spineAcross - size.pad - (isDown ? 0 : 16),
    long: intake.at(-1)!.along + size.along + size.pad - (intake[0]!.along - size.pad),
    wide: size.across + 2 * size.pad + (isDown ? 0 : 16),
  }
  const finalAcross = frame.across + frame.wide + size.far
  const columns = columnsOf(model)
  for (const id of model.finals) {
    const column = at.get(model.spine[columns.get(id)!]!)!
    const along = column.along + (size.along - size.finalAlong) / 2
    at.set(id, { along, across: finalAcross, long: size.finalAlong, wide: size.finalAcross })
  }
  const lastActive = model.spine.filter((id) => kinds.get(id) === 'active').at(-1)!
  const barEnd = at.get(lastActive)!.along + size.along
  for (const id of model.waiting)
    at.set(id, { along: frame.along, across: barAcross, long: barEnd - frame.along, wide: size.bar })

  const point = (along: number, across: number): Point => (isDown ? [across, along] : [along, across])
  const boxes = [...at].map(([id, { along, across, long, wide }]): Box => {
    const [x, y] = point(along, across)
    const [w, h] = isDown ? [wide, long] : [long, wide]
    const shape = model.waiting.includes(id) ? 'bar' : kinds.get(id) === 'terminal' ? 'final' : 'step'
    const most = kinds.get(id) === 'terminal' ? 13 : isDown ? 21 : 12
    return { id, x, y, w, h, shape, lines: shape === 'bar' ? [label.get(id)!] : wrapped(label.get(id)!, most) }
  })

  at.set(group, frame)
  const lines: Line[] = model.edges.flatMap((edge) => {
    const [a, b] = [at.get(edge.from), at.get(edge.to)]
    if (!a || !b) return []
    const drawn = pathOf(edge, a, b)
    if (!drawn) return []
    const { points, labelAt, anchor } = drawn
    const shown = labelAt ? edge.label : null
    const [lx, ly] = labelAt ?? [0, 0]
    return [{ id: edge.id, tone: edge.tone, d: rounded(points), label: shown, lx, ly, anchor }]
  })

  type Place = { along: number; across: number; long: number; wide: number }
  type Drawn = { points: Point[]; labelAt: Point | null; anchor: Line['anchor'] }
  function pathOf({ from, to }: { from: string; to: string }, a: Place, b: Place): Drawn | null {
    const middle = (place: Place) => place.along + place.long / 2
    const plain = (points: Point[]): Drawn => ({ points, labelAt: null, anchor: 'middle' })
    const isBar = (id: string) => model.waiting.includes(id)
    const on = (id: string) => model.spine.includes(id)
    if (on(from) && on(to)) {
      const across = a.across + a.wide / 2
      return plain([point(a.along + a.long, across), point(b.along - 1.5, across)])
    }
    // Beside each other: one line there, one back.
    if (isBar(to) || (isBar(from) && kinds.get(to) !== 'terminal')) {
      const isUp = isBar(to)
      const [near, bar] = isUp ? [a, b] : [b, a]
      const column = near === frame ? (isDown ? middle(near) : near.along + near.long * 0.42) : middle(near)
      const along = column + (isUp ? -8 : 8)
      const ends: [Point, Point] = [point(along, near.across), point(along, bar.across + bar.wide + 1.5)]
      if (!isUp) ends[1] = point(along, bar.across + bar.wide)
      const points = isUp ? ends : ([ends[1], point(along, near.across - 1.5)] as Point[])
      const labelAt =
        near === frame && !isDown ? point(along + (isUp ? -6 : 6), (near.across + bar.across + bar.wide) / 2) : null
      return { points, labelAt, anchor: isUp ? 'end' : 'start' }
    }
    if (isBar(from)) {
      const out = Math.max(b.along + b.long, ...[...at.values()].map((each) => each.along + each.long)) + 16
      const [c0, c1] = [a.across + a.wide / 2, b.across + b.wide / 2]
      const points = [point(a.along + a.long, c0), point(out, c0), point(out, c1), point(b.along + b.long + 1.5, c1)]
      if (isDown) return plain([points[0]!, point(out, c0), point(out, c1), point(b.along + b.long + 1.5, c1)])
      return { points, labelAt: point((a.along + a.long + out) / 2 - 2, c0 - 9), anchor: 'middle' }
    }
    if (from === group) return plain([point(middle(b), a.across + a.wide), point(middle(b), b.across - 1.5)])
    if (middle(a) === middle(b)) return plain([point(middle(a), a.across + a.wide), point(middle(b), b.across - 1.5)])
    const [along, across] = [middle(a), b.across + b.wide / 2]
    return plain([point(along, a.across + a.wide), point(along, across), point(b.along - 1.5, across)])
  }

  const right = Math.max(...boxes.map(({ x, w }) => x + w)) + (isDown ? 8 : 26)
  const bottom = Math.max(...boxes.map(({ y, h }) => y + h)) + (isDown ? 26 : 10)
  const [fx, fy] = point(frame.along, frame.across)
  const [fw, fh] = isDown ? [frame.wide, frame.long] : [frame.long, frame.wide]
  const [sx, sy] = point(start - 12, spineAcross + size.across / 2)
  const first = model.spine[0]!
  const [ex, ey] = point(at.get(first)!.along - 1.5, spineAcross + size.across / 2)
  lines.unshift({
    id: `>${first}`,
    tone: 'info',
    d: `M${sx},${sy}L${ex},${ey}`,
    label: null,
    lx: sx,
    ly: sy,
    anchor: 'middle',
  })
  return { w: right, h: bottom, boxes, lines, frame: { x: fx, y: fy, w: fw, h: fh } }
}

/** Straight pieces with round corners. */
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
