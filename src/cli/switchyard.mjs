#!/usr/bin/env node
// Runs first on a fresh clone, so it is plain JavaScript for Node 20 without packages. It installs the packages, finds
// Bun among them, and runs src/cli/main.ts, which never outlives it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBun, isNewEnough } from './find-bun.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const main = join(root, 'src', 'cli', 'main.ts')
const drainMsMax = 30_000
/** A lock without a holder is being written, or its writer died. A new program may get a dead holder's id. */
const [emptyMsMax, heldMsMax] = [10_000, 15 * 60_000]

if (Number(process.versions.node.split('.')[0]) < 20) fail('Switchyard needs Node 20 or later.')
if (!isInstalled()) await withInstallLock(install)
// This must work when nothing else does, so it loads no code of the service.
if (process.argv[2] === 'stop-everything') await import('./stop-everything.mjs')
if (process.versions.bun && isNewEnough(process.versions.bun)) await import(main)
else run(findBun() ?? fail(`Bun does not run on this machine (${process.platform} ${process.arch}).`))

/**
 * Whether every package of the lockfile is installed in its version. File times are not used: a checkout changes them.
 */
function isInstalled() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).every(([path, { version, optional, devOptional, peer }]) => {
    if (path === '' || optional || devOptional || peer) return true
    try {
      return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).version === version
    } catch {
      return false
    }
  })
}

function install() {
  if (isInstalled()) return
  const startedAt = performance.now()
  const { name, command, args } = installer()
  process.stderr.write(`installing packages with ${name} ... `)
  const { status, error, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  if (status === 0 && isInstalled()) return
  const why = error ? error.message : (stderr ?? '').trim().split('\n').slice(-6).join('\n')
  fail(`The packages could not be installed; can this machine reach the npm registry?\n${why}`)
}

function installer() {
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const npm = process.env.npm_execpath ?? ''
  if (npm.endsWith('npm-cli.js') && !process.versions.bun) {
    return { name: 'npm ci', command: process.execPath, args: [npm, ...args] }
  }
  const hasNpm = spawnSync('npm', ['--version']).status === 0
  if (hasNpm) return { name: 'npm ci', command: 'npm', args }
  if (process.versions.bun) return { name: 'bun install', command: process.execPath, args: ['install', '--no-save'] }
  return fail('npm is missing: install it along with Node, or run this with Bun.')
}

/** Lets only one process install at a time, so two first starts in one checkout do not interfere. */
async function withInstallLock(work) {
  const lock = join(root, '.switchyard', 'install.lock')
  mkdirSync(dirname(lock), { recursive: true })
  for (let holder = takeLock(lock), n = 0; holder !== null; holder = takeLock(lock), n++) {
    const who = holder ? `process ${holder}` : 'a process'
    if (n === 1) process.stderr.write(`waiting for ${who}, which installs packages (${lock})\n`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const release = () => holderOf(lock) === process.pid && rmSync(lock, { force: true })
  process.once('exit', release)
  work()
  process.off('exit', release)
  release()
}

/**
 * Creates the lock file, or removes it if it was left behind. @returns null if this process holds the lock now, or the
 * id of its holder, which is 0 if it is unknown.
 */
function takeLock(lock) {
  try {
    const file = openSync(lock, 'wx')
    writeSync(file, `${process.pid}`)
    closeSync(file)
    return null
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = holderOf(lock)
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (ageMs > (holder > 0 ? heldMsMax : emptyMsMax) || (holder > 0 && !isAnother(holder))) rmSync(lock, { force: true })
  return holder
}

function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8')) || 0
  } catch {
    return 0
  }
}

/** Whether it is another process that is alive. In a container, a start often has the id of the one before. */
function isAnother(holder) {
  try {
    return holder !== process.pid && process.kill(holder, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function run(program) {
  const [command, ...args] = boundToThisProcess([program, main, ...process.argv.slice(2)])
  const child = spawn(command, args, { stdio: 'inherit' })
  child.once('error', (error) => fail(`Bun cannot be started: ${error.message}`))
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.once('exit', () => child.kill('SIGKILL'))
  if (process.platform !== 'linux' || command === program) watch(child.pid)
  if (process.env.npm_lifecycle_event) endWithNpm(child)
}

/** On Linux, lets the kernel kill the command if this process dies, even by kill -9. */
function boundToThisProcess(command) {
  if (process.platform !== 'linux' || spawnSync('setpriv', ['--version']).status !== 0) return command
  return ['setpriv', '--pdeathsig', 'KILL', '--', ...command]
}

function watch(pid) {
  const script = 'while kill -0 "$1" && kill -0 "$2"; do sleep 1; done 2>/dev/null; kill -9 "$2" 2>/dev/null'
  const args = ['-c', script, 'watchdog', `${process.pid}`, `${pid}`]
  spawn('/bin/sh', args, { detached: true, stdio: 'ignore' }).unref()
}

/**
 * Ends the child when `npm run` was killed. npm then sends no signal, but the parent of this process, or of the shell
 * between npm and it, changes.
 */
function endWithNpm(child) {
  const parent = process.ppid
  const { command, parent: grandparent } = describe(parent)
  const isShell = /^\S*sh -c /.test(command)
  const timer = setInterval(
    () => {
      if (process.ppid === parent && !(isShell && describe(parent).parent !== grandparent)) return
      clearInterval(timer)
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), drainMsMax)
    },
    process.platform === 'linux' ? 500 : 2000,
  )
}

function describe(pid) {
  try {
    if (process.platform === 'linux') {
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]
      return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', `${pid}`], { encoding: 'utf8' }).trim()
    return { parent: line.split(/\s+/)[0], command: line.replace(/^\d+\s+/, '') }
  } catch {
    return { parent: '', command: '' }
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
