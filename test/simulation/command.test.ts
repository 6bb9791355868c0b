import { expect, test } from 'bun:test'
import { bugs } from '../support/simulation/bugs'
import { dice, Loop, noFaults, Process } from '../support/simulation/loop'
import { run } from '../support/simulation/run'
import { simulate } from '../support/simulation/simulate'
import type { Bug } from '../support/simulation/view'
import { testAll } from '../support/test-all'

async function ran(asked: Parameters<typeof run>[0]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = []
  return { code: await run(asked, (line) => void lines.push(line)), lines }
}
const last = ({ lines }: { lines: string[] }) => lines.at(-1)

test('simulate: two runs of the same seeds have the same events, in threads too, and other seeds have others', async () => {
  const asked = { deposits: 23, seed: 11 } // two small worlds
  const [once, again, other] = [
    await ran(asked),
    await ran({ ...asked, threads: 2 }),
    await ran({ ...asked, seed: 12 }),
  ]
  expect(once.code).toBe(0)
  expect(last(once)).toMatch(/^Event hash [0-9a-f]{16}$/)
  expect(last(again)).toBe(last(once)!)
  expect(last(other)).not.toBe(last(once)!)
})

test('simulate: the trace of a world is printed in sentences, and printing it changes nothing', async () => {
  const lines: string[] = []
  const told = await simulate(12, { report: (line) => void lines.push(line) })
  expect((await simulate(12)).digest).toBe(told.digest)
  const words = lines.map((line) => line.replace(/^ *\d+:\d\d\.\d{3} {2}/, ''))
  const sentences = [
    /^Deposit 1 of \d+ arrives$/,
    /^Scanner \d records deposit 1$/,
    /^Worker \d sends transaction …[0-9a-f]{4} with the order of deposit \d+/,
    /^Worker \d stores deposit \d+ as [A-Z_]+/,
    /^Worker \d dies, and starts again$/,
    /^The chain drops its newest \d blocks$/,
    /^The faults end$/,
  ]
  for (const sentence of sentences)
    expect([sentence, words.some((line) => sentence.test(line))]).toEqual([sentence, true])
})

test('simulate: a broken rule is shown with fewer deposits and troubles, and its command repeats it', async () => {
  const bug = 'there is no lane'
  const { code, lines } = await ran({ deposits: 100, seed: 4, bug })
  expect(code).toBe(1)
  const found = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])
  const [rule] = found(/^Seed \d+ breaks: ([^;]+)/)
  const [deposits] = found(/^It takes the deposits ([\d, ]+), and these troubles: none$/)
  expect(deposits!.split(', ').length).toBeLessThan(8)
  const [command] = found(/^(Repeat it: .*)/)
  const given = (option: string) => new RegExp(`--${option} (\\S+)`).exec(command!)![1]!
  const named = given('with')
  const repeated = await ran({
    deposits: 1,
    seed: Number(given('seed')),
    only: given('only').split(',').map(Number),
    troubles: named === 'none' ? [] : named.split(','),
    bug,
    trace: true,
  })
  expect(repeated.code).toBe(1)
  expect(repeated.lines.filter((line) => line.endsWith(`Broken: ${rule}`))).toHaveLength(1)
})

test('simulate: an unknown bug, trouble or deposit is refused with the list', async () => {
  const asked = { deposits: 1, seed: 1 }
  const bug = await ran({ ...asked, bug: 'there is no moon' })
  expect(bug.code).toBe(2)
  for (const name of Object.keys(bugs)) expect(last(bug)).toContain(name)
  expect(last(await ran({ ...asked, troubles: ['rain'] }))).toStartWith('No trouble rain; there are lost-requests,')
  expect(last(await ran({ ...asked, only: [99] }))).toBe('No deposit 99; a world has 1 to 30.')
})

/** Does something in the step that matches the intent. */
const inStep =
  (act: () => unknown): Bug =>
  () => ({
    steps: ({ matchIntent }) => ({
      matchIntent: async (execution, store) => {
        await act()
        return matchIntent(execution, store)
      },
    }),
  })
const outside: [what: string, act: () => unknown][] = [
  ['Date.now', () => Date.now()],
  ['new Date()', () => new Date()],
  ['Math.random', () => Math.random()],
  ['crypto.randomUUID', () => crypto.randomUUID()],
  ['fetch', () => fetch('http://localhost')],
  ['Bun.sleep', () => Bun.sleep(1)],
  ['AbortSignal.timeout', () => AbortSignal.timeout(1)],
]

testAll(outside)(
  'simulate: time, chance and connections that are not simulated are errors with their caller',
  async (what, act) => {
    const named = `${what} is not simulated, and is called by `
    const swallowed = inStep(async () => act()).bind(null)
    const { message } = await simulate(1, { bug: swallowed }).catch((error) => error)
    expect(message).toStartWith(named)
    expect(message).toContain('test/simulation/command.test.ts')
  },
)

test('simulate: the real clock and real chance are back afterwards, also after an error', async () => {
  const before = [setTimeout, Date, Math.random, fetch, Object.hasOwn(crypto, 'randomUUID')]
  await simulate(1, { bug: inStep(() => Date.now()) }).catch(() => {})
  expect([setTimeout, Date, Math.random, fetch, Object.hasOwn(crypto, 'randomUUID')]).toEqual(before)
})

test('simulate: a task that waits for anything but simulated requests and timers is an error that names it', async () => {
  const reading = inStep(() => Bun.file('package.json').text())
  await expect(simulate(1, { bug: reading })).rejects.toThrow(
    /^Worker \d carries on deposit \d+, and waits for something that is not simulated\. Its last request: \w+/,
  )
})

test('simulate: a timer of a worker runs in the simulated time', async () => {
  const slowly = inStep(() => new Promise((resolve) => setTimeout(resolve, 2_000)))
  expect((await simulate(12, { bug: slowly })).found).toEqual([])
})

test('simulate: a timer that is cleared while its process is frozen counts as one wait', async () => {
  const loop = new Loop()
  const process = new Process(loop, dice(1), noFaults)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isDone = false
  void process.work('waits for two timers', async () => {
    let clear = () => {}
    process.timer(10, () => {
      clear()
      first.resolve()
    })
    clear = process.timer(20, () => {})
    process.freeze(1_000)
    await first.promise
    process.timer(5_000, second.resolve)
    await second.promise
    isDone = true
  })
  loop.runUntil(() => isDone, 10_000)
  expect([isDone, loop.time]).toEqual([true, 6_000])
})
