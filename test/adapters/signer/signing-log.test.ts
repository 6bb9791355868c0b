import { expect, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSigningLog } from '../../../src/adapters/signer/signing-log'
import { BrokenSigningLog, readSigningLog } from '../../../src/adapters/signer/signing-log-files'
import type { SigningEntry } from '../../../src/ports/signer'
import { addressOf } from '../../support/signable'
import { temporaryFolder } from '../../support/temporary-folder'

const routeId = (n: number) => `0x${String(n).padStart(64, '0')}` as const
const signed = (n: number): SigningEntry => ({
  event: 'SIGNED',
  executionId: `deposit ${n}, ‘quoted’ and long`,
  organizationId: 'org',
  chainId: 8453,
  routeId: routeId(n),
  orderId: `0x${'a'.repeat(63)}${n % 10}`,
  deadline: 1_000 + n,
  account: addressOf('account'),
  token: addressOf('token'),
  amountIn: '25',
  protocolFee: '1',
  gasFee: '0',
  kind: 'DIRECT',
  target: addressOf('target'),
  intent: { toChainId: 8453, tokenOut: addressOf('token'), recipient: addressOf('recipient'), minOut: '24' },
})
const refused: SigningEntry = {
  event: 'REFUSED',
  executionId: 'deposit',
  organizationId: 'org',
  chainId: 8453,
  routeId: routeId(1),
  code: 'SIGNER_REFUSED',
  why: 'The fees were not priced',
}

async function written(count: number): Promise<string> {
  const path = join(temporaryFolder('log'), 'signing.log')
  const log = await openSigningLog(path, { now: Date.now })
  await Promise.all(Array.from({ length: count }, (_, n) => log.append(n === 1 ? refused : signed(n))))
  await log.close()
  return path
}
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const rewrite = (path: string, lines: readonly string[]) =>
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
const brokenAt = (path: string) =>
  readSigningLog(path).then(
    () => null,
    (error) => (error instanceof BrokenSigningLog ? error.line : error),
  )

test('signed orders are found after a restart, and the log continues where it ended', async () => {
  const path = await written(4)
  const log = await openSigningLog(path, { now: Date.now })
  expect(log.lastSigned(8453, routeId(3))).toEqual({ orderId: `0x${'a'.repeat(63)}3`, deadline: 1_003 })
  expect(log.lastSigned(8453, routeId(1))).toBeNull()
  expect(log.lastSigned(1, routeId(3))).toBeNull()
  await log.append(signed(5))
  await log.close()
  expect(await readSigningLog(path)).toMatchObject({ signed: 4, refused: 1 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('any changed, missing, moved, doubled or inserted line is detected', async () => {
  const path = await written(6)
  const lines = linesOf(path)
  expect(lines.length).toBe(6)
  for (const [n, line] of lines.entries()) {
    const isLast = n === lines.length - 1
    if (!isLast) {
      rewrite(path, lines.with(n, line.replace('"deposit', '"deposlt')))
      expect(await brokenAt(path), `changed ${n}`).toBe(n + 2)
      rewrite(path, lines.toSpliced(n, 1))
      expect(await brokenAt(path), `left out ${n}`).toBe(n + 1)
      rewrite(path, lines.with(n, lines[n + 1]!).with(n + 1, line))
      expect(await brokenAt(path), `moved ${n}`).toBe(n + 1)
    }
    rewrite(path, lines.toSpliced(n, 0, line))
    expect(await brokenAt(path), `doubled ${n}`).toBe(n + 2)
  }
  rewrite(path, lines)
  expect(await brokenAt(path)).toBeNull()
})

test('a signer does not start on a log that was changed', async () => {
  const path = await written(3)
  rewrite(path, linesOf(path).toSpliced(1, 1))
  expect(openSigningLog(path, { now: Date.now })).rejects.toThrow(
    'Line 2 of the signing log does not follow from the line before it',
  )
})

test('a last line cut short by a crash was never returned: it is dropped, and the log continues', async () => {
  const path = await written(3)
  const whole = readFileSync(path, 'utf8')
  for (const cut of ['{', '{"seq":4,"at":"2026', '‘'.slice(0, 1)]) {
    writeFileSync(path, whole)
    appendFileSync(path, cut)
    const log = await openSigningLog(path, { now: Date.now })
    await log.append(signed(7))
    await log.close()
    expect(await readSigningLog(path)).toMatchObject({ signed: 3, refused: 1 })
    expect(readFileSync(path, 'utf8').startsWith(whole)).toBe(true)
  }
})

test('a second signer starts with the log only after the first has ended', async () => {
  const path = await written(2)
  const one = await openSigningLog(path, { now: Date.now })
  expect(openSigningLog(path, { now: Date.now })).rejects.toThrow('Another signer uses this signing log')
  await one.append(signed(3))
  await one.close()
  await (await openSigningLog(path, { now: Date.now })).close()
})

/** Starts a process that opens the log, reports it, and stays. */
function opening(path: string) {
  const module = join(import.meta.dir, '../../../src/adapters/signer/signing-log.ts')
  const script = `const { openSigningLog } = await import('${module}')
    globalThis.log = await openSigningLog('${path}', { now: Date.now }).catch(({ name }) => void console.log(name))
    if (globalThis.log) console.log('open')
    setInterval(() => {}, 1_000)`
  return Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
}
async function firstWord({ stdout }: ReturnType<typeof opening>): Promise<string> {
  for await (const chunk of stdout) return new TextDecoder().decode(chunk).trim()
  return ''
}
async function killedWith(path: string): Promise<void> {
  const child = opening(path)
  expect(await firstWord(child)).toBe('open')
  expect(openSigningLog(path, { now: Date.now })).rejects.toThrow('Another signer uses this signing log')
  child.kill('SIGKILL')
  await child.exited
}

test('the log of a killed signer is free immediately', async () => {
  const path = await written(2)
  await killedWith(path)
  await (await openSigningLog(path, { now: Date.now })).close()
})

test('only one of many simultaneous openings of a killed signer’s log succeeds', async () => {
  const path = await written(1)
  for (const round of [1, 2, 3, 4, 5]) {
    await killedWith(path)
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => openSigningLog(path, { now: Date.now })))
    const had = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await Promise.all(had.map((log) => log.close()))
    expect(had.length, `round ${round}`).toBe(1)
  }
})

test('only one of many processes opens a killed signer’s log', async () => {
  const path = await written(1)
  await killedWith(path)
  const children = Array.from({ length: 4 }, () => opening(path))
  const said = await Promise.all(children.map(firstWord))
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map(({ exited }) => exited))
  expect(said.toSorted()).toEqual(['SigningLogInUse', 'SigningLogInUse', 'SigningLogInUse', 'open'])
})

test('a signer stops if another process writes to its log, and its own entries stay intact', async () => {
  const path = await written(2)
  const log = await openSigningLog(path, { now: Date.now })
  appendFileSync(path, 'another')
  expect(log.append(signed(4))).rejects.toThrow('Another process writes to the signing log')
  expect(log.append(signed(5))).rejects.toThrow('Another process writes to the signing log')
  await log.close()
  expect(await readSigningLog(path)).toMatchObject({ signed: 1, refused: 1 })
})

test('a log that cannot be written reports so once, and so does every later check', async () => {
  const path = await written(2)
  const told: unknown[] = []
  const log = await openSigningLog(path, { now: Date.now, onBroken: (error) => told.push(error) })
  await log.check()
  appendFileSync(path, 'somebody else')
  for (const n of [3, 4]) expect(await log.append(signed(n)).catch((error) => error)).toBe(told[0])
  expect(told).toHaveLength(1)
  expect(await log.check().catch((error) => error)).toBe(told[0])
  await log.close()
})

test('the next check detects a log that was moved or replaced', async () => {
  const path = await written(2)
  const log = await openSigningLog(path, { now: Date.now })
  renameSync(path, `${path}.old`)
  expect(await log.check().catch(({ code }) => code)).toBe('ENOENT')
  writeFileSync(path, '')
  expect(await log.check().catch(({ message }) => message)).toBe('The signing log was moved or replaced')
  await log.close()
})

test('an operator can verify a copy of the log, and a change is reported', async () => {
  const path = await written(3)
  const root = join(import.meta.dir, '..', '..', '..')
  const check = () => Bun.spawnSync([process.execPath, 'src/cli/main.ts', 'signing-log', path], { cwd: root })
  const good = check()
  expect([good.exitCode, good.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('2 orders signed and 1 refused, and no line changed'),
  ])
  rewrite(path, linesOf(path).toSpliced(1, 1))
  const bad = check()
  expect([bad.exitCode, bad.stderr.toString()]).toEqual([1, expect.stringContaining('this file was changed')])
})

/** A log whose files hold two entries each, and the names of its full files. */
async function ofManyFiles(count: number) {
  const path = join(temporaryFolder('log-files'), 'signing.log')
  const log = await openSigningLog(path, { now: Date.now, bytesMax: 1_700 })
  for (let n = 0; n < count; n++) await log.append(signed(n))
  await log.close()
  const archives = readdirSync(dirname(path)).filter((name) => /\.\d{12}$/.test(name))
  return { path, archives: archives.toSorted().map((name) => join(dirname(path), name)) }
}

test('a full file is archived and the chain continues in the next, across restarts', async () => {
  const { path, archives } = await ofManyFiles(7)
  expect(archives.map((name) => name.slice(-12))).toEqual(['000000000001', '000000000003', '000000000005'])
  for (const each of [path, ...archives]) {
    expect(statSync(each).size).toBeLessThanOrEqual(1_700)
    expect(statSync(each).mode & 0o777).toBe(0o600)
  }
  const log = await openSigningLog(path, { now: Date.now, bytesMax: 1_700 })
  expect(log.head().count).toBe(7)
  expect(log.lastSigned(8453, routeId(2))).toMatchObject({ deadline: 1_002 })
  await log.append(signed(7))
  await log.append(signed(8))
  await log.check()
  await log.close()
  expect(await readSigningLog(path)).toMatchObject({ signed: 9, refused: 0, firstSeq: 1, count: 9 })
})

test('a signer that died while archiving a full file continues with the next', async () => {
  const { path } = await ofManyFiles(2)
  renameSync(path, `${path}.000000000001`)
  expect(await readSigningLog(path)).toMatchObject({ count: 2 })
  const log = await openSigningLog(path, { now: Date.now })
  await log.append(signed(3))
  await log.close()
  expect(await readSigningLog(path)).toMatchObject({ count: 3, files: [{ firstSeq: 1 }, { firstSeq: 3 }] })
})

test('the oldest files can be moved away, and a missing file or line after them is detected', async () => {
  const { path, archives } = await ofManyFiles(7)
  const texts = new Map([path, ...archives].map((name) => [name, readFileSync(name)]))
  const restored = () => {
    for (const [name, text] of texts) writeFileSync(name, text)
  }
  rmSync(archives[0]!)
  expect(await readSigningLog(path)).toMatchObject({ firstSeq: 3, count: 7 })
  await (await openSigningLog(path, { now: Date.now })).close()
  for (const harm of [
    () => rmSync(archives[1]!),
    () => rmSync(archives[2]!),
    () => rewrite(archives[1]!, linesOf(archives[1]!).slice(0, -1)),
    () => rewrite(archives[2]!, linesOf(archives[2]!).slice(1)),
    () => rewrite(archives[2]!, linesOf(archives[2]!).toReversed()),
    () => rewrite(path, linesOf(path).slice(1).concat(linesOf(archives[0]!))),
    () => renameSync(archives[0]!, `${path}.000000000002`),
  ]) {
    restored()
    harm()
    expect(await brokenAt(path)).not.toBeNull()
    rmSync(`${path}.000000000002`, { force: true })
  }
  // If all full files are missing, the only sign is that the log does not begin at its beginning.
  restored()
  for (const name of archives) rmSync(name)
  expect(openSigningLog(path, { now: Date.now })).rejects.toThrow('Line 1 of the signing log does not follow')
})

test('a start reads the entries of the last day, and older ones only from the newest full file', async () => {
  const path = join(temporaryFolder('log-day'), 'signing.log')
  const unitMs = 24 * 60_000
  let now = 1_700_000_000_000
  const log = await openSigningLog(path, { now: () => now, bytesMax: 1_700 })
  for (let n = 0; n < 10; n++) {
    await log.append(signed(n))
    now += 12 * unitMs
  }
  await log.close()
  const read: number[] = []
  const again = await openSigningLog(path, { now: () => now, onEntry: (_, at) => read.push(at) })
  await again.close()
  expect(read.filter((at) => at > now - 60 * unitMs)).toHaveLength(4)
  expect(read.length).toBeLessThanOrEqual(6)
  await (await openSigningLog(path, { now: () => now + 600 * unitMs, onEntry: (_, at) => read.push(at) })).close()
  expect(read.length).toBeLessThanOrEqual(10)
})
