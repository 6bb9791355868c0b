import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { historyView } from '../src/http/views/history'
import { apiWorld } from './http/world'
import { sample } from './support/depth'
import { simulate } from './support/simulation/simulate'

const folders = [
  'docs',
  'docs/integrators',
  'docs/operations',
  'deploy',
  'deploy/compose',
  'deploy/kubernetes',
  'src/devnet',
]
const pages = folders.flatMap((folder) => [...new Glob(`${folder}/*.md`).scanSync('.')])
const paths = ['README.md', 'CONTRIBUTING.md', ...pages]
const texts = await Promise.all(paths.map((path) => Bun.file(path).text()))
/** Every line, joined with its continuation lines. */
const lines = texts.flatMap((text) => text.replaceAll(/\\\n\s*/g, '').split('\n'))

async function output(command: string[], stdin = ''): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], { stdin: Buffer.from(stdin), stdout: 'pipe', stderr: 'pipe' })
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(await child.exited, error).toBe(0)
  return out
}

type Schema = { $ref?: string; properties?: Record<string, unknown>; required?: string[]; anyOf?: Schema[] }
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } }

test('every API request in the documents is accepted, with the fields of its body', async () => {
  const answer = await apiWorld().api.handle(new Request('http://localhost/docs/json'))
  const document = (await answer.json()) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  const resolved = (schema: Schema): Schema =>
    schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema
  const requests = lines.filter((line) => /\bcurl .*\$API\/api/.test(line))
  expect(requests.length).toBeGreaterThan(5)
  for (const request of requests) {
    const path = /\$API(\/[^\s'"?]+)/.exec(request)![1]!
    const body = / -d '([^']+)'/.exec(request)?.[1]
    const verb = (/ -X (\w+)/.exec(request)?.[1] ?? (body ? 'POST' : 'GET')).toLowerCase()
    const isAt = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
    const operation = Object.entries(document.paths).find(([template, verbs]) => isAt(template) && verb in verbs)?.[1]
    expect([request, operation !== undefined]).toEqual([request, true])
    if (!body) continue
    const { properties, required } = resolved(Object.values(operation![verb]!.requestBody!.content)[0]!.schema)
    const fields = Object.keys(JSON.parse(body))
    expect(fields.filter((field) => !(field in properties!))).toEqual([])
    expect((required ?? []).filter((field) => !fields.includes(field))).toEqual([])
  }
})

/** Prints the help of every command, in one process: each would take a quarter of a second by itself. */
const helpProgram = `
import { program } from 'commander'
const helps = {}
const note = (command, path) => {
  helps[path.join(' ')] = command.helpInformation()
  for (const each of command.commands) note(each, [...path, each.name()])
}
program.parseAsync = async () => note(program, [])
await import('./src/cli/main.ts')
console.log(JSON.stringify(helps))
`
const printsItsOwn = ['stop-everything']
let helps: Promise<Record<string, string>> | null = null
const helpOf = async (command: readonly string[]): Promise<string> => {
  if (printsItsOwn.includes(command[0]!)) return output(['src/cli/main.ts', ...command, '--help'])
  helps ??= output(['-e', helpProgram]).then(JSON.parse)
  return (await helps)[command.join(' ')]!
}

/** The part of a command that the command line does not recognize. */
async function unknownIn(words: readonly string[]): Promise<string[]> {
  let help = await helpOf([])
  for (const [depth, word] of words.entries()) {
    const commands = help.split('Commands:\n')[1]
    if (commands === undefined || word.startsWith('-')) break
    if (!new RegExp(`^  ${word}\\b`, 'm').test(commands)) return [word]
    help = await helpOf(words.slice(0, depth + 1))
  }
  const options = words.flatMap((each) => /^--[\w-]+$/.exec(each) ?? [])
  return options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help))
}

test('every command of switchyard in the documents exists, with its options', async () => {
  const written = lines.flatMap((line) =>
    [...line.matchAll(/npx switchyard ([^`#|)]+)/g)].map(([, command]) => command!.trim()),
  )
  const commands = [...new Set(written)].map((command) => command.replaceAll(/'[^']*'/g, 'text').split(/\s+/))
  expect(commands.length).toBeGreaterThan(20)
  for (const command of commands) expect([command, await unknownIn(command)]).toEqual([command, []])
  expect(await unknownIn(['deposit', '--nonsense', '1'])).toEqual(['--nonsense'])
  expect(await unknownIn(['operator', 'nonsense'])).toEqual(['nonsense'])
})

test('the program for debugging replays a stored history, and marks steps that the machine would not take', async () => {
  const replay = async (history: unknown) =>
    (await output(['examples/debugging/replay.mjs'], JSON.stringify({ history }))).trim().split('\n')
  for (const execution of sample('histories to replay', (await simulate(7)).city.executions.all(), 3)) {
    const history = historyView(execution.history)
    const told = await replay(history)
    expect(told).toHaveLength(history.length)
    expect(told.filter((line) => !line.startsWith('ok '))).toEqual([])
  }
  const impossible = [
    { seq: 1, at: '2026-11-21T10:00:00.000Z', event: 'funds delivered', from: 'FAILED', to: 'SUCCESS' },
  ]
  expect(await replay(impossible)).toEqual([expect.stringMatching(/^\?\?\? 1 .*FAILED -- funds delivered --> SUCCESS/)])
})

/** Beginnings of shell lines in the documents. */
const command =
  /^(npm|npx|curl|cast|python3|kubectl|docker|cp|mkdir|git|node|grep|jq|wait|export|mongodump|mongorestore|\(cd|[A-Z_]+=)/

test('a shell line in the documents begins with a command, unless it continues the line before', () => {
  const blocks = texts
    .flatMap((text) => text.split(/\n\s*\n/))
    .map((block) => block.split('\n').map((line) => (line.startsWith('    ') ? line.slice(4) : null)))
    .filter((block) => block.every((line) => line !== null) && command.test(block[0]!))
  expect(blocks.length).toBeGreaterThan(20)
  const torn = blocks.flatMap((block) => {
    let before = ''
    return (block as string[]).filter((line) => {
      const goesOn = /[\\|]$/.test(before.trimEnd()) || (before.split("'").length - 1) % 2 === 1
      before = `${before}\n${line}`
      return !goesOn && !line.startsWith(' ') && !command.test(line)
    })
  })
  expect(torn).toEqual([])
})
