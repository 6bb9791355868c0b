import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface Child {
  readonly pid: number
  readonly exited: Promise<number>
  /** Signals the program to end, and kills it after `graceMs`. Resolves when it has ended. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>
  /** The last lines of its output. */
  tail(): string
}

export interface ChildOptions {
  readonly cwd?: string
  readonly env?: Record<string, string | undefined>
  /** The file that its output is appended to. */
  readonly log?: string
  /** Called with every line of its output. A server with much output should have a log instead of this pipe. */
  readonly onLine?: (line: string) => void
  /** Whether its output goes where ours goes. */
  readonly isShown?: boolean
  /** The signal that the kernel sends to it when this process dies. */
  readonly deathSignal?: 'KILL' | 'QUIT' | 'TERM'
  /** The unprivileged account that runs it if this process is root. */
  readonly user?: { readonly uid: number; readonly gid: number }
  readonly guard?: Guard
}

type Guard = 'kernel' | 'watchdog'

const logBytesMax = 16 * 1024 * 1024
const setpriv = process.platform === 'linux' ? Bun.which('setpriv') : null

/**
 * Starts a program in its own process group, so Ctrl-C in a terminal reaches only this process. The program never
 * outlives this process, even after kill -9. On Linux the kernel ends it; on other systems a shell watches both.
 */
export function spawnChild(command: readonly string[], options: ChildOptions = {}): Child {
  const guard = options.guard ?? (setpriv ? 'kernel' : 'watchdog')
  const [program = '', ...args] = guard === 'kernel' ? guarded(command, options) : command
  const output = options.log ? openLog(options.log) : options.isShown ? 'inherit' : 'pipe'
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: (options.env ?? process.env) as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', output, output],
  })
  if (typeof output === 'number') closeSync(output)
  const exited = exitOf(child)
  const pid = child.pid
  if (pid === undefined) {
    exited.catch(() => {})
    throw new Error(`Cannot start ${command[0]}: is it installed, and executable?`)
  }
  if (guard === 'watchdog') watch(pid)
  const tail = options.log ? () => logTail(options.log!) : pipedTail(child, options.onLine)
  return { pid, exited, tail, stop: (signal, graceMs) => stop(child, exited, signal, graceMs) }
}

function guarded(command: readonly string[], { deathSignal = 'KILL', user }: ChildOptions): string[] {
  const as = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--no-new-privs'] : []
  return [setpriv!, '--pdeathsig', deathSignal, ...as, '--', ...command]
}

function watch(pid: number): void {
  const script = 'while kill -0 "$1" && kill -0 "$2"; do sleep 1; done 2>/dev/null; kill -9 "$2" 2>/dev/null'
  spawn('/bin/sh', ['-c', script, 'watchdog', `${process.pid}`, `${pid}`], { detached: true, stdio: 'ignore' }).unref()
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

async function stop(
  child: ChildProcess,
  exited: Promise<number>,
  signal: NodeJS.Signals = 'SIGTERM',
  graceMs = 5000,
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  const kill = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await exited
  clearTimeout(kill)
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > logBytesMax) truncateSync(path)
  return openSync(path, 'a', 0o600)
}

function logTail(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
}

function pipedTail(child: ChildProcess, onLine?: (line: string) => void): () => string {
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      onLine?.(line)
    })
  }
  return () => lines.join('\n')
}
