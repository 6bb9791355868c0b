import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Command } from 'commander'
import { auditCommands } from '../../src/cli/audit/commands'
import { contractCommands } from '../../src/cli/contracts/commands'
import { operatorCommands } from '../../src/cli/verbs/operator-commands'
import { tenantCommands } from '../../src/cli/verbs/tenant-commands'
import { webhookCommands } from '../../src/cli/verbs/webhook-commands'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

async function switchyard(...args: string[]) {
  const env = { ...process.env, SWITCHYARD_DIR: '/nonexistent' }
  const run = Bun.spawn([process.execPath, main, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return { code: await run.exited, out, err }
}

/** The commands that the help lists, by name. */
const listed = (help: string) =>
  help
    .split('Commands:\n')[1]!
    .split('\n')
    .filter((line) => /^ {2}[a-z]/.test(line))
    .map((line) => ({ name: line.trim().split(' ')[0]!, says: line.trim().split(/ {2,}/)[1] ?? '' }))

test('the help describes every command', async () => {
  const groups = [[], ['keys'], ['organizations'], ['blacklist'], ['operator'], ['intents'], ['webhooks']]
  for (const group of groups) {
    const { out } = await switchyard(...group, '--help')
    const silent = listed(out).filter(({ name, says }) => says === '' && !isNextLine(out, name))
    expect({ group, silent }).toEqual({ group, silent: [] })
  }
})

/** Commander prints the description on the next line if a long name leaves no room for it. */
const isNextLine = (help: string, name: string) => new RegExp(`^ {2}${name}\\b.*\\n {10,}\\S`, 'm').test(help)

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

test('the help shows no default for an option without a value', () => {
  const program = new Command()
  for (const add of [auditCommands, contractCommands, operatorCommands, tenantCommands, webhookCommands]) add(program)
  const commands = allOf(program)
  expect(commands.length).toBeGreaterThan(30)
  for (const command of commands) expect(command.helpInformation()).not.toContain('(default: false)')
})

test('an option that --outcome would ignore is refused', async () => {
  const { code, err } = await switchyard('deposit', '--user', 'zoe', '--outcome', 'RUNNING', '--token', 'USDC')
  expect([code, err]).toEqual([1, '--outcome decides what is sent and where it goes: leave out --token.\n'])
})

test('an unknown outcome is answered with the list of outcomes', async () => {
  const { code, err } = await switchyard('deposit', '--user', 'zoe', '--outcome', 'NONSENSE')
  expect(code).toBe(1)
  expect(err).toContain('Allowed choices are PENDING, RUNNING, SUCCESS')
})
