import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { peopledWorld } from '../http/world'
import { nightly } from '../support/depth'
import { temporaryFolder } from '../support/temporary-folder'
import { testWith } from '../support/tools'
import { languages, npmTools, pythonTools } from './tools'

/**
 * Results of third-party checkers for the document and a service that implements it. test/http/openapi/openapi.test.ts
 * runs Redocly. Vacuum is not used: its npm package downloads a program that no lockfile pins.
 */
const [typescript, python] = languages
/** At night it runs the same few cases each time. By hand, `SCHEMATHESIS_SECONDS=600` runs other cases each time. */
const seconds = process.env['SCHEMATHESIS_SECONDS']

/** Valid generated data are not real cursors, names or ids, and get 400. */
const refusesWhatIsInvented = 'positive_data_acceptance'
/** `/api/deposits/rescan` matches GET as `/api/deposits/{id}`. test/http/request/methods.test.ts compares `allow`. */
const knowsPathsByThemselves = 'allow_header_conformance'

const world = await peopledWorld({ now: Date.now })
let url: string
let documentPath: string
beforeAll(async () => {
  world.api.listen({ port: 0, hostname: '127.0.0.1' })
  url = `http://127.0.0.1:${world.api.server!.port}/docs/json`
  documentPath = join(temporaryFolder('document'), 'switchyard.json')
  await Bun.write(documentPath, await (await fetch(url)).text())
})
afterAll(() => world.api.server?.stop(true))

/** The output of a program that failed, or nothing. */
async function complaintOf(...command: string[]): Promise<string> {
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dir, 'schemathesis-hooks.py') }
  const child = Bun.spawn(command, { cwd: temporaryFolder('checker'), env, stdout: 'pipe', stderr: 'pipe' })
  const written = [child.stdout, child.stderr].map((stream) => new Response(stream).text())
  const [said, code] = [(await Promise.all(written)).join(''), await child.exited]
  return code === 0 ? '' : `${code}: ${said}`
}

const inPython = async (name: string) => join(await pythonTools(), 'venv/bin', name)

const byNpm = testWith(typescript!.needs, typescript!.isHere)
byNpm('spectral finds no fault in the document', async () => {
  const program = join(await npmTools(), 'node_modules/@stoplight/spectral-cli/dist/index.js')
  const rules = ['--ruleset', join(import.meta.dir, 'spectral.yaml'), '--fail-severity', 'hint']
  expect(await complaintOf('node', program, 'lint', ...rules, documentPath)).toBe('')
})

const byPython = testWith(python!.needs, python!.isHere, nightly)
byPython('openapi-spec-validator accepts the document', async () => {
  expect(await complaintOf(await inPython('openapi-spec-validator'), documentPath)).toBe('')
})

const bySchemathesis = python!.isHere && seconds ? test : byPython
bySchemathesis(
  'schemathesis finds no undocumented response',
  async () => {
    const program = await inPython('schemathesis')
    const bounds = seconds
      ? ['--max-time', seconds, '--generation-database', 'none']
      : ['--max-time', '20', '--max-examples', '3', '--generation-deterministic']
    const run = (key: string, ...operations: string[]) =>
      complaintOf(
        program,
        ...['--config-file', join(import.meta.dir, 'schemathesis.toml')],
        'run',
        url,
        ...['--header', `x-api-key: ${key}`, ...operations],
        // The document has no links, which the stateful phase needs.
        ...['--phases', 'examples,coverage,fuzzing', ...bounds, '--no-shrink', '--continue-on-failure'],
        ...['--exclude-checks', `${refusesWhatIsInvented},${knowsPathsByThemselves}`],
        ...['--warnings', 'off', '--no-color'],
      )
    // Schemathesis would wait for the end of a stream, which never comes.
    const integrators = run(world.client, '--exclude-tag', 'Operators', '--exclude-operation-id', 'streamEvents')
    const operators = run(world.platform, '--include-tag', 'Operators')
    expect(await Promise.all([integrators, operators])).toEqual(['', ''])
    expect(world.bugs).toEqual([])
  },
  600_000 + 1_000 * Number(seconds ?? 0),
)
