import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { stateNames } from '../../machines/execution'
import { plainName } from '../../src/dashboard/data/state-name'
import type { Lifecycle } from '../../src/dashboard/data/types'
import { layoutOf, type Shape } from '../../src/dashboard/machine/layout'
import { hintOf } from '../../src/dashboard/machine/map-node'
import { edgeOf, isMove, modelOf, nextOf } from '../../src/dashboard/machine/model'
import { NodeText } from '../../src/dashboard/machine/node-parts'
import { retry } from '../../src/domain/execution/retry'
import { isStatus, statuses, statusNames } from '../../src/domain/execution/status'
import { lifecycle } from '../../src/routing/engine/lifecycle'
import { testAll } from '../support/test-all'

const published = lifecycle(retry) as unknown as Lifecycle
const model = modelOf(published)
const shapes: Shape[] = (['across', 'down'] as const).flatMap((direction) =>
  [true, false].map((figures) => ({ direction, figures })),
)
const across = { direction: 'across', figures: true } as const

test('every state of the machine is on the map once', () => {
  for (const shape of shapes) {
    const { boxes } = layoutOf(model, shape)
    expect(boxes.map(({ id }) => id).toSorted()).toEqual([...stateNames].toSorted())
  }
})

test('the states shown are exactly the statuses (interface 3)', () => {
  const shown = published.states.flatMap(({ status }) => status ?? [])
  expect(shown.toSorted()).toEqual([...statusNames].toSorted())
})

test('no two boxes touch, and all are inside the picture', () => {
  for (const shape of shapes) {
    const { boxes, w, h } = layoutOf(model, shape)
    for (const a of boxes) {
      expect(a.x >= 0 && a.y >= 0 && a.x + a.w <= w && a.y + a.h <= h).toBe(true)
      for (const b of boxes)
        if (a !== b) expect(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y).toBe(true)
    }
  }
})

test('the map at full size fits a screen of 1,440 pixels across, and a phone’s of 390 downwards', () => {
  for (const shape of shapes)
    expect(layoutOf(model, shape).w).toBeLessThanOrEqual(shape.direction === 'down' ? 328 : 1_096)
})

/** Letters of 12 pixels are no wider on average. */
const letterWidth = 6.2

test('no text on the map runs upwards, and the text of a waiting state fits its box on a phone', () => {
  for (const shape of shapes)
    for (const box of layoutOf(model, shape).boxes) {
      const lines = shape.figures ? ['1,312 overdue', 'p95 59 min', 'longest 47 h'] : []
      const figures = shape.figures ? { count: 123_456, lines, lateness: null } : null
      const { description } = model.states.find(({ id }) => id === box.id)!
      const note = box.shape === 'bar' ? description : null
      const text = renderToStaticMarkup(createElement(NodeText, { box, figures, direction: shape.direction, note }))
      expect(text).not.toContain('rotate')
      if (box.shape !== 'bar' || shape.direction !== 'down') continue
      const rows = [`${box.lines[0]} ${box.codes[0]} 123k`, description, lines.join('   ')]
      expect(rows.filter((row) => 24 + row.length * letterWidth > box.w)).toEqual([])
      const ys = [...text.matchAll(/ y="([\d.]+)"/g)].map(([, y]) => Number(y))
      expect(new Set(ys).size).toBe(shape.figures ? 3 : 2)
      expect(ys.every((y) => y - 7 >= box.y && y + 7 <= box.y + box.h)).toBe(true)
    }
})

test('on a map down a waiting state is a rail beside the line that begins at its box, and no box covers the rail', () => {
  for (const figures of [true, false]) {
    const { boxes } = layoutOf(model, { direction: 'down', figures })
    const { rail, ...head } = boxes.find(({ shape }) => shape === 'bar')!
    expect([rail!.x, rail!.y]).toEqual([head.x, head.y + head.h])
    const others = boxes.filter(({ shape }) => shape !== 'bar')
    expect(others.filter(({ x, y }) => x <= rail!.x + rail!.w && y < rail!.y + rail!.h)).toEqual([])
    const covered = others.filter(({ id, y }) => y < head.y + head.h && model.spine.includes(id))
    expect(covered).toEqual([])
  }
  expect(layoutOf(model, across).boxes.every(({ rail }) => rail === null)).toBe(true)
})

test('a status has its plain name with its code below it, and all its lines fit its box', () => {
  for (const shape of shapes)
    for (const { id, lines, codes, shape: kind, h } of layoutOf(model, shape).boxes) {
      const named = isStatus(id) ? [statuses[id].name, id] : [plainName(id), '']
      expect([lines.join(' '), codes.join('')]).toEqual(named)
      const figures = !shape.figures ? 0 : kind === 'final' ? 1 : 4
      if (kind !== 'bar') expect([id, 14.5 * (lines.length + codes.length + figures) <= h]).toEqual([id, true])
    }
})

test('each state has a hint for screen readers: the unit of its count, and the states that follow', () => {
  const hint = (id: string, count: number | null = 0) =>
    hintOf({
      state: model.states.find((state) => state.id === id)!,
      figures: { count, lines: [], lateness: null },
      next: nextOf(model, id),
    })
  expect(hint('matching intent')).toBe('Number of executions now. Leads to Screening deposit, a failure.')
  expect(hint('matching intent', null)).toBe('Leads to Screening deposit, a failure.')
  expect(hint('RUNNING')).toMatch(/^Number of executions now\. Leads to Delivered, .*Waiting for a retry/)
  expect(hint('FAILED')).toContain('a new attempt')
  expect(hint('SUCCESS')).toBe('Number of executions.')
})

test('the path of the money is one straight line from the first state to SUCCESS', () => {
  expect([model.spine[0], model.spine.at(-1)]).toEqual(['matching intent', 'SUCCESS'])
  const places = layoutOf(model, across).boxes.filter(({ id }) => model.spine.includes(id))
  expect(new Set(places.map(({ y }) => y)).size).toBe(1)
})

testAll([
  ['matching intent', 'screening deposit'],
  ['PENDING', 'RUNNING'],
  ['RUNNING', 'SUCCESS'],
  ['finding route', 'FAILED'],
  ['FAILED', 'screening deposit'],
  ['finding route', 'FAILED_UNROUTABLE_MAIN'],
  ['screening deposit', 'TOKEN_BLACKLISTED'],
  ['RUNNING', 'FAILED'],
  ['RUNNING', 'DEAD_LETTER'],
  ['FAILED', 'DEAD_LETTER'],
])('a step moves along a drawn line', (from, to) => {
  const id = edgeOf(model, from, to)
  expect(layoutOf(model, across).lines.some((line) => line.id === id)).toBe(true)
})

test('a dot runs for every event with a transition, whatever its type', () => {
  const told = (type: string, from: string | null, to: string) => ({ type, transition: { event: 'e', from, to } })
  expect(isMove(told('execution.pending', 'signing order', 'PENDING'))).toBe(true)
  expect(isMove(told('execution.success', 'RUNNING', 'SUCCESS'))).toBe(true)
  expect(isMove(told('execution.moved', 'RUNNING', 'RUNNING'))).toBe(false)
  expect(isMove({ type: 'deposit.detected', transition: null })).toBe(false)
})

test('the line from FAILED to DEAD_LETTER only states that attempts were given up, by any actor', () => {
  for (const shape of shapes.filter(({ direction }) => direction === 'across')) {
    const line = layoutOf(model, shape).lines.find(({ id }) => id === edgeOf(model, 'FAILED', 'DEAD_LETTER'))
    expect(line?.label).toBe('given up')
  }
})
