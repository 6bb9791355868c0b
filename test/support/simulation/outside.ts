import { resolve } from 'node:path'
import type { Loop } from './loop'

const root = `${resolve(import.meta.dir, '../../..')}/`
const ownFile = import.meta.path

/** The innermost frames of the project outside this file, in the form `name (path:line)`. */
function callerOf(stack = ''): string {
  const frames = stack.split('\n').filter((line) => line.includes(root) && !line.includes(ownFile))
  const ofProject = frames.filter((line) => !line.includes('node_modules'))
  const [frame] = ofProject.length > 0 ? ofProject : frames
  return (
    frame
      ?.trim()
      .replace(/^at /, '')
      .replace(root, '')
      .replace(/:\d+\)?$/, (end) => (end.endsWith(')') ? ')' : '')) ?? 'unknown code'
  )
}

/** Code in a simulation used a clock, chance, or a connection that its seed does not determine. */
class NotSimulated extends Error {
  override name = 'NotSimulated'
}

type Owner = Record<string, unknown>
type Replaced = [owner: unknown, name: string, value: unknown]

/**
 * Runs a simulation in which time comes from the loop alone. Timers of a process are simulated, and end with its life.
 * Any other source of time, chance or input is an error that names its caller.
 *
 * @throws {NotSimulated} Also if the code in between swallows it.
 */
export function insideOnly(loop: Loop, run: (isBroken: () => boolean) => void): void {
  let broken: NotSimulated | null = null
  const refuse = (what: string) =>
    function refused(): never {
      const error = new NotSimulated()
      error.message = `${what} is not simulated, and is called by ${callerOf(error.stack)}`
      broken ??= error
      throw error
    }
  const cleared = new Map<number, () => void>()
  let timers = 0
  const timer =
    (isRepeated: boolean, what: string) =>
    (act: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]) => {
      const { life } = loop
      if (!life) return refuse(`${what} outside a process`)()
      const id = ++timers
      const set = () =>
        cleared.set(
          id,
          life.process.timer(Math.max(delayMs, 0), () => {
            if (isRepeated) set()
            else cleared.delete(id)
            act(...given)
          }),
        )
      set()
      return id
    }
  const clear = (id: number) => {
    cleared.get(id)?.()
    cleared.delete(id)
  }
  const OwnDate = Date
  const clockless = new Proxy(OwnDate, {
    construct: (target, given) => (given.length === 0 ? refuse('new Date()')() : Reflect.construct(target, given)),
    apply: () => refuse('Date()')(),
    get: (target, name) => (name === 'now' ? refuse('Date.now') : Reflect.get(target, name)),
  })
  const replaced: Replaced[] = [
    [globalThis, 'setTimeout', timer(false, 'setTimeout')],
    [globalThis, 'setInterval', timer(true, 'setInterval')],
    [
      globalThis,
      'setImmediate',
      (act: () => void, ...given: unknown[]) => timer(false, 'setImmediate')(act, 0, ...given),
    ],
    [globalThis, 'clearTimeout', clear],
    [globalThis, 'clearInterval', clear],
    [globalThis, 'clearImmediate', clear],
    [globalThis, 'Date', clockless],
    [performance, 'now', () => loop.time],
    ...['fetch', 'WebSocket'].map((name): Replaced => [globalThis, name, refuse(name)]),
    ...['sleep', 'connect', 'spawn', 'serve'].map((name): Replaced => [Bun, name, refuse(`Bun.${name}`)]),
    ...['randomUUID', 'getRandomValues'].map((name): Replaced => [crypto, name, refuse(`crypto.${name}`)]),
    [Math, 'random', refuse('Math.random')],
    [AbortSignal, 'timeout', refuse('AbortSignal.timeout')],
    [process, 'hrtime', refuse('process.hrtime')],
  ]
  const own = replaced.map(([owner, name]) => Object.hasOwn(owner as Owner, name))
  const before = replaced.map(([owner, name]) => (owner as Owner)[name])
  try {
    for (const [owner, name, value] of replaced) (owner as Owner)[name] = value
    run(() => broken !== null)
  } finally {
    for (const [n, [owner, name]] of replaced.entries())
      if (own[n]) (owner as Owner)[name] = before[n]
      else Reflect.deleteProperty(owner as Owner, name)
  }
  if (broken) throw broken
}
