import { expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../commands/test-checks'
import { temporaryFolder } from '../support/temporary-folder'

test('the type checker’s state is replaced in one step, so a clone that reads it has the former one whole', async () => {
  const folder = temporaryFolder('checks')
  const [own, shared] = [join(folder, 'own'), join(folder, 'shared', 'state')]
  writeFileSync(own, 'former')
  await replaceFile(own, shared)
  const reading = await open(shared)
  const { ino } = statSync(shared)
  writeFileSync(own, 'newer')
  await replaceFile(own, shared)
  expect(await reading.readFile('utf8')).toBe('former')
  await reading.close()
  expect([statSync(shared).ino === ino, await Bun.file(shared).text()]).toEqual([false, 'newer'])
  expect(readdirSync(join(folder, 'shared'))).toEqual(['state'])
})
