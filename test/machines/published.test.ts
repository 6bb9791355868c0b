import { expect, test } from 'bun:test'
import { mayFollow, neverBefore } from '../../src/adapters/mongo/collections/executions'
import { retry } from '../../src/domain/execution/retry'
import { lifecycle } from '../../src/routing/engine/lifecycle'

/** `UPDATE=1 bun test test/machines/published.test.ts` writes the published texts. Without it, they must match. */
const isUpdate = process.env['UPDATE'] === '1'
const { states, transitions } = lifecycle(retry)
type Transition = (typeof transitions)[number]

const idOf = (state: string): string => state.replaceAll(' ', '_')
const isOwn = ({ event }: Transition): boolean => !['step failed', 'order failed', 'abandoned'].includes(event)
const active = states.filter(({ kind }) => kind !== 'terminal').map(({ state }) => state)
const intake = states.filter(({ kind }) => kind === 'intake').map(({ state }) => state)

/** One arrow for the states that share a failure, and one for the ends that differ only in their name. */
function failures(): string[] {
  const rows = transitions
    .filter((arrow) => !isOwn(arrow))
    .map(({ from, event, guard, to }) => ({
      from,
      event: `${event}${guard ? ` [${guard === `ends in ${to}` ? 'ends in that status' : guard}]` : ''}`,
      to:
        guard === `ends in ${to}`
          ? 'final_status_of_the_error'
          : event === 'step failed' && from === to && guard !== 'may be retried'
            ? 'the_same_state'
            : idOf(to),
    }))
  const same = Map.groupBy(rows, ({ event, to }) => `${to}: ${event}`)
  return [...same].map(([arrow, group]) => {
    const froms = new Set(group.map(({ from }) => from))
    const others = active.filter((state) => !froms.has(state)).map(idOf)
    const any = others.length === 0 ? 'any' : `any_but_${others.join('_and_')}`
    return `  ${froms.size > 3 ? any : [...froms].map(idOf).join('_or_')} --> ${arrow}`
  })
}

function diagram(): string {
  const own = transitions
    .filter((arrow) => isOwn(arrow) && arrow.from !== arrow.to)
    .map(({ from, to, event, guard }) => `  ${idOf(from)} --> ${idOf(to)}: ${event}${guard ? ` [${guard}]` : ''}`)
  return ['stateDiagram-v2', `  [*] --> ${idOf(intake[0]!)}`, ...own, ...failures(), ''].join('\n')
}

async function published(path: string, text: string): Promise<void> {
  if (isUpdate) await Bun.write(path, text)
  expect(await Bun.file(path).text()).toBe(text)
}

test('published: the diagram matches the machine', () => published('machines/execution.mmd', diagram()))

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
