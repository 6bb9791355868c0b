import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, withLock } from '../../../src/devnet/servers/cache-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('cache folder', () => {
  const given = process.env.SWITCHYARD_CACHE
  const folder = temporaryFolder('cache')
  beforeAll(() => {
    process.env.SWITCHYARD_CACHE = folder
  })
  afterAll(() => {
    if (given === undefined) delete process.env.SWITCHYARD_CACHE
    else process.env.SWITCHYARD_CACHE = given
  })

  test('SWITCHYARD_CACHE names the folder', async () => {
    expect(await cacheFolder()).toBe(folder)
  })

  test('only one of two processes builds the same program while the other waits', async () => {
    let atOnce = 0
    let most = 0
    const build = () =>
      withLock('same', async () => {
        atOnce += 1
        most = Math.max(most, atOnce)
        await Promise.resolve()
        atOnce -= 1
      })
    await Promise.all([build(), build(), build()])
    expect(most).toBe(1)
    expect(existsSync(join(folder, 'same.lock'))).toBe(false)
  })

  test('a lock of a dead process delays no other', async () => {
    const dead = Bun.spawnSync(['true']).pid
    writeFileSync(join(folder, 'left.lock'), `${dead}`)
    expect(await withLock('left', async () => 'built')).toBe('built')
  })
  test('a waiting process says once who holds the lock', async () => {
    const lock = join(folder, 'held.lock')
    writeFileSync(lock, `${process.pid}`)
    const said: string[] = []
    const report = (line: string) => {
      said.push(line)
      rmSync(lock)
    }
    expect(await withLock('held', async () => 'built', report)).toBe('built')
    expect(said).toEqual([`waiting for process ${process.pid}, which prepares held (${lock})`])
  })

  test('a holder whose lock another process has taken leaves it to that process', async () => {
    const lock = join(folder, 'taken.lock')
    await withLock('taken', async () => writeFileSync(lock, '1'))
    expect(readFileSync(lock, 'utf8')).toBe('1')
  })

  test('a lock is left by a writer that died before it wrote its id, or by a holder that no longer renews it', async () => {
    for (const [text, ageMs] of [
      ['', 11_000],
      ['x', 11_000],
      [`${process.pid}`, 16 * 60_000],
    ] as const) {
      const lock = join(folder, 'left.lock')
      writeFileSync(lock, text)
      const at = (Date.now() - ageMs) / 1000
      utimesSync(lock, at, at)
      expect(
        await withLock(
          'left',
          async () => 'built',
          () => {},
        ),
      ).toBe('built')
    }
  })
})
