import { expect, test } from 'bun:test'
import { retry } from '../../src/domain/execution/retry'
import { mayFollow, neverBefore } from '../../src/domain/execution/transitions'
import { lifecycle } from '../../src/routing/engine/lifecycle'
import { publishedIn } from '../support/published'

/** `UPDATE=1 bun test test/machines/published.test.ts` writes the published texts. Without it, they must match. */
const isUpdate = process.env['UPDATE'] === '1'
const { states, transitions } = lifecycle(retry)
type Transition = (typeof transitions)[number]

const idOf = (state: string): string => state.replaceAll(' ', '_')
const isOwn = ({ event }: Transition): boolean => !['step failed', 'order failed', 'abandoned'].includes(event)
const active = states.filter(({ kind }) => kind !== 'terminal').map(({ state }) => state)
const intake = states.filter(({ kind }) => kind === 'intake').map(({ state }) => state)

/** Failures lead from every state to the same ends, which the table lists, so the diagram shows them once. */
function diagram(): string {
  const own = transitions
    .filter((arrow) => isOwn(arrow) && arrow.from !== arrow.to)
    .map(({ from, to, event, guard }) => `  ${idOf(from)} --> ${idOf(to)}: ${event}${guard ? ` [${guard}]` : ''}`)
  return [
    'stateDiagram-v2',
    `  [*] --> ${idOf(intake[0]!)}`,
    ...own,
    '  step_or_order_failed --> FAILED: may be retried',
    '  step_or_order_failed --> final_status_of_the_error',
    '',
  ].join('\n')
}

/** One row for the states that share a transition, and one for the ends that differ only in their name. */
function table(): string {
  const rows = transitions.map(({ from, event, guard, to }) => ({
    from,
    event,
    guard: guard === `ends in ${to}` ? 'ends in that status' : (guard ?? ''),
    to: event === 'step failed' && from === to && guard !== 'may be retried' ? 'the same state' : to,
  }))
  const same = Map.groupBy(rows, ({ event, guard, to }) => [event, guard, to].join('|'))
  const merged = [...same.values()].map((group) => {
    const { event, guard, to } = group[0]!
    const froms = group.map(({ from }) => from)
    const others = active.filter((state) => !froms.includes(state))
    const where = others.length === 0 ? 'any' : froms.length > 3 ? `any but ${others.join(', ')}` : froms.join(', ')
    return { before: [where, event, guard].join(' | '), to }
  })
  const ends = [...Map.groupBy(merged, ({ before }) => before)].map(
    ([before, group]) => `| ${before} | ${group.map(({ to }) => to).join(', ')} |`,
  )
  return ['| From | Event | Only if | To |', '|---|---|---|---|', ...ends].join('\n')
}

async function published(path: string, text: string): Promise<void> {
  if (isUpdate) await Bun.write(path, text)
  expect(await Bun.file(path).text()).toBe(text)
}

test('published: the diagram matches the machine', () => published('machines/execution.mmd', diagram()))

test('published: the page of the lifecycle shows the machine’s transitions', () =>
  publishedIn('docs/reference/lifecycle.md', 'machine', table()))

/** Follows transient states, which are never stored. */
function storedAfter(from: string, seen = new Set<string>()): Set<string> {
  for (const { to } of transitions.filter((arrow) => arrow.from === from && !seen.has(arrow.to))) {
    seen.add(to)
    if (intake.includes(to)) storedAfter(to, seen)
  }
  return seen
}

test('published: the store allows exactly the transitions of the machine', () => {
  const all = states.map(({ state }) => state)
  for (const from of all) {
    const ways = storedAfter(from).add(from)
    expect(all.filter((to) => mayFollow(from, to)).toSorted(), from).toEqual([...ways].toSorted())
  }
  expect(mayFollow('of an older version', 'RUNNING')).toBe(true)
  expect(neverBefore('RUNNING')).toContain('SUCCESS')
})
