import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
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
})
