import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import type { Address } from '../../src/domain/chain/hex'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { temporaryFolder } from '../support/temporary-folder'
import { isRequired, testWith } from '../support/tools'
import { type Note, until } from '../support/until'
import { languages, type Program } from './tools'

/** The last line that each program beside this file prints. */
type Seen = {
  isReplayed: boolean
  amountOutExpected: string
  statuses: string[]
  pages: string[][]
  detail: { id: string; amountOut: string | null; transactions: number }
  told: string[]
  streamed: string[]
  failures: { statusCode: number; message: string; code: string }[]
}

/** Tools are installed once. CI requires every language, and a laptop only those that it has. */
let environment: Environment
const pollMs = 250
/** All languages run at the same time, because they mostly wait for a compiler or for events. */
const runs = new Map<string, { userId: string; lines: string[]; seen: Promise<Seen> }>()
beforeAll(async () => {
  if (!isNightly) return
  environment = await startEnvironment()
  const documentPath = join(temporaryFolder('document'), 'switchyard.json')
  const answer = await fetch(`${environment.installation.apiUrl}/docs/json`)
  await Bun.write(documentPath, await answer.text())
  for (const { name, isHere, prepare } of languages) {
    if (!isHere && !isRequired) continue
    const userId = environment.newUserId(name.split(',')[0]!.toLowerCase())
    const lines: string[] = []
    const seen = prepare(documentPath).then((program) => used(program, userId, lines))
    seen.catch(() => {})
    runs.set(name, { userId, lines, seen })
  }
})
afterAll(() => environment?.stop())

/** Runs a program that prints where to send the deposits, and then what it has received. */
async function used({ command, cwd }: Program, userId: string, lines: string[]): Promise<Seen> {
  const { installation, devnet } = environment
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const pay = async (to: Address) => {
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to })
    await devnet.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw: 40_000_000n, to })
  }
  const child = spawnChild(command, {
    cwd,
    env: {
      ...process.env,
      SWITCHYARD_URL: installation.apiUrl,
      SWITCHYARD_API_KEY: installation.keys.client,
      USER_ID: userId,
    },
    onLine: (line) => {
      lines.push(line)
      if (line.startsWith('{"depositAddress":')) pay(JSON.parse(line).depositAddress).catch(reject)
      if (line.startsWith('{"seen":')) resolve(JSON.parse(line).seen)
    },
  })
  child.exited.then((code) => reject(new Error(`It ended with code ${code}: ${lines.join('\n').slice(-3000)}`)))
  return promise.finally(() => child.stop('SIGKILL'))
}

for (const { name, needs, isHere } of languages) {
  const title = `${name}: a generated client makes an intent, simulates, follows executions and events, and reads errors`
  const declare = testWith(needs, isHere, nightly)
  declare(title, async () => {
    const { userId, lines, ...run } = runs.get(name)!
    // The programs wait for executions and events without a limit.
    const isOver = async (note: Note) => {
      note(lines.slice(-20))
      return Promise.race([run.seen, Bun.sleep(pollMs).then(() => null)])
    }
    const seen = await until(`the last line of ${name}`, isOver, { waitMs: 500_000 })
    const executions = (await environment.ended(userId, 2)).toReversed()
    const ids = executions.map(({ id }) => id)
    expect(seen).toMatchObject({
      isReplayed: true,
      amountOutExpected: expect.stringMatching(/^[1-9]\d+$/),
      statuses: ['SUCCESS', 'SUCCESS'],
      pages: ids.map((id) => [id]),
      detail: { id: ids[0]!, amountOut: executions[0]!.facts.delivery!.amountRaw },
      failures: [
        { statusCode: 404, code: 'EXECUTION_NOT_FOUND', message: expect.stringMatching(/\w/) },
        { statusCode: 400, code: 'VALIDATION_FAILED', message: expect.stringMatching(/\w/) },
      ],
    })
    expect(seen.detail.transactions).toBeGreaterThan(0)
    for (const id of ids) {
      const types = seen.told.filter((told) => told.endsWith(` ${id}`)).map((told) => told.split(' ')[0])
      expect(types).toEqual(expect.arrayContaining(['deposit.detected', 'execution.running', 'execution.success']))
    }
    expect(seen.told).toContain(`intent.created ${userId} 1`)
    expect(seen.streamed).toEqual(seen.told.slice(1))
  })
}
