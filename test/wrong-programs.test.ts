import { beforeAll, expect, test } from 'bun:test'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sample } from './support/depth'
import { temporaryFolder } from './support/temporary-folder'
import { wrongPrograms } from './support/wrong-programs'

const root = join(import.meta.dir, '..')
const copy = temporaryFolder('wrong-programs')

beforeAll(() => {
  for (const path of ['src', 'machines', 'test']) cpSync(join(root, path), join(copy, path), { recursive: true })
  for (const path of ['node_modules', 'contracts', 'package.json', 'tsconfig.json', 'bunfig.toml'])
    symlinkSync(join(root, path), join(copy, path))
})

async function isGreen(tests: string): Promise<boolean> {
  const child = Bun.spawn([process.execPath, 'test', tests], { cwd: copy, stdout: 'ignore', stderr: 'ignore' })
  return (await child.exited) === 0
}

test('every wrong program changes a text that its file has once', async () => {
  const texts = await Promise.all(wrongPrograms.map(({ edit: [path] }) => Bun.file(join(root, path)).text()))
  const stale = wrongPrograms.filter(({ edit: [, right] }, n) => texts[n]!.split(right).length !== 2)
  expect(stale.map(({ does }) => does)).toEqual([])
})

test.each(sample('wrong programs', wrongPrograms, 1).map((one) => [one.does, one] as const))(
  'the tests refuse a program that %s',
  async (_does, { edit: [path, right, wrong], tests }) => {
    const file = Bun.file(join(copy, path))
    const text = await file.text()
    expect(text.split(right), `${path} has this text once`).toHaveLength(2)
    expect(await isGreen(tests)).toBe(true)
    await Bun.write(
      file,
      text.replace(right, () => wrong),
    )
    try {
      expect(await isGreen(tests)).toBe(false)
    } finally {
      await Bun.write(file, text)
    }
  },
)
