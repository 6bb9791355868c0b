import { expect, test } from 'bun:test'
import { join } from 'node:path'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

async function switchyard(...args: string[]) {
  const env = { ...process.env, SWITCHYARD_DIR: '/nonexistent' }
  const run = Bun.spawn([process.execPath, main, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return { code: await run.exited, out, err }
}

/** What the help lists below "Commands:", each by its name. */
const listed = (help: string) =>
  help
    .split('Commands:\n')[1]!
    .split('\n')
    .filter((line) => /^ {2}[a-z]/.test(line))
    .map((line) => ({ name: line.trim().split(' ')[0]!, says: line.trim().split(/ {2,}/)[1] ?? '' }))

test('every command says what it does', async () => {
  const groups = [[], ['keys'], ['organizations'], ['blacklist'], ['operator'], ['intents']]
  for (const group of groups) {
    const { out } = await switchyard(...group, '--help')
    const silent = listed(out).filter(({ name, says }) => says === '' && !isNextLine(out, name))
    expect({ group, silent }).toEqual({ group, silent: [] })
  }
}, 60_000)

/** Commander puts what a long name leaves no room for below it. */
const isNextLine = (help: string, name: string) => new RegExp(`^ {2}${name}\\b.*\\n {10,}\\S`, 'm').test(help)

test('an outcome decides what is sent: what would be ignored is refused', async () => {
  const { code, err } = await switchyard('deposit', '--user', 'zoe', '--outcome', 'RUNNING', '--token', 'USDC')
  expect([code, err]).toEqual([1, '--outcome decides what is sent and where to: leave out --token.\n'])
})

test('an outcome that there is not is answered with those there are', async () => {
  const { code, err } = await switchyard('deposit', '--user', 'zoe', '--outcome', 'NONSENSE')
  expect(code).toBe(1)
  expect(err).toContain('Allowed choices are PENDING, RUNNING, SUCCESS')
})
