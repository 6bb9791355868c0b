import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkGiven } from '../../app/config/config'
import type { Change } from '../../devnet/servers/supervise'
import { Api } from '../client/api'
import { demoDeposits, makeIntent, type Outcome, routeText, sendAndFollow } from '../demo/demo-deposits'
import { sendFailures } from '../demo/demo-failures'
import { nextSteps, outcomeTables } from '../demo/demo-summary'
import { withStore } from '../installation/database'
import { devnetFileIn, devnetFileOf, writeDevnetFile } from '../installation/devnet-file'
import { Installation } from '../installation/installation'
import { type StateFolder, stateRoot, takeStateFolder } from '../installation/state-folder'
import { Failure, messageOf } from '../terminal/failure'
import { type Progress, progress, seconds } from '../terminal/progress'
import { untilInterrupted } from '../terminal/signals'

export type DemoOptions = { once?: boolean; port?: number | undefined; service?: boolean; deposits?: boolean }

/** Starts everything, shows real deposits travel, and stays up; gives the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  checkGiven(process.env)
  const show = progress()
  const startedAt = performance.now()
  const folder = takeStateFolder((path, { pid, apiUrl }) =>
    show.say(`${path} is in use by process ${pid}${apiUrl ? `, whose API is ${apiUrl}` : ''}: this one gets its own.`),
  )
  const installation: Installation = new Installation({
    dir: folder.path,
    port: options.port ?? (process.env['PORT'] ? Number(process.env['PORT']) : undefined),
    onChange: (change) => announce(show, installation, folder, change),
  })
  let isEnding = false
  let isUp = false
  const end = async () => {
    isEnding = true
    await installation.stop()
    rmSync(devnetFileIn(folder.path), { force: true })
    folder.release()
  }
  try {
    const code = await untilInterrupted(async (interrupted) => {
      await startAll(show, installation, folder, options)
      if (options.deposits !== false) {
        const outcomes = await deposits(show, installation)
        show.say(`\n${outcomeTables(outcomes)}`)
        show.say(`\nFrom the start to the last SUCCESS: ${seconds(performance.now() - startedAt)}, npm ci not counted`)
      }
      if (options.once) return 0
      show.say(sayWhereItIs(installation, folder, options))
      show.say('It stays up until Ctrl-C. The next start is a new world: other organizations, keys and addresses.')
      isUp = true
      if (options.deposits !== false && options.service !== false) sendFailures(installation).catch(() => {})
      await Promise.race([interrupted, lostChain(installation, () => isEnding)])
      show.say('Stopping …')
      return 0
    }, end)
    return code ?? (isUp ? 0 : 130)
  } catch (error) {
    process.stderr.write(`\n${messageOf(error)}\n`)
    if (!(error instanceof Failure) && process.env['DEBUG']) console.error(error)
    return 1
  }
}

async function startAll(show: Progress, installation: Installation, folder: StateFolder, options: DemoOptions) {
  await installation.choosePort()
  await show.together([
    { title: 'NATS with JetStream', run: (say) => installation.startNats(say) },
    { title: 'MongoDB', run: (say) => installation.startMongo(say) },
    { title: 'Five chains, contracts, bridge, LI.FI', run: (say) => installation.startDevnet(say) },
  ])
  await show.together([{ title: 'Organizations and API keys', run: () => installation.seed() }])
  const { mongodbUrl, database: mongodbDatabase, natsUrl, apiUrl } = installation
  if (options.service !== false) await show.together([{ title: 'Service', run: () => installation.startService() }])
  else await installation.releasePort()
  folder.note({ apiUrl, mongodbUrl, mongodbDatabase, natsUrl })
  writeDevnetFile(folder.path, devnetFileOf(installation))
  if (options.service === false) writeEnvironment(join(folder.path, 'devnet.env'), installation.madeEnv())
}

/** Acts as an integrator and then, all at once, as six end users. */
async function deposits(show: Progress, { apiUrl, keys, devnet, mongodbUrlWithDatabase }: Installation) {
  const api = new Api(apiUrl, keys.client)
  const outcomes: Outcome[] = []
  const addresses = new Map<string, `0x${string}`>()
  await show.together([
    {
      title: 'The integrator creates intents',
      run: async () => {
        const intents = await Promise.all(demoDeposits.map((row) => makeIntent(api, row)))
        for (const { userId, depositAddress } of intents) addresses.set(userId, depositAddress)
        return `${intents.length} deposit addresses`
      },
    },
  ])
  await withStore(mongodbUrlWithDatabase, async ({ executions }) => {
    const world = { api, devnet, load: (id: string) => executions.load(id) }
    await show.together(
      demoDeposits.map((row, n) => ({
        title: routeText(row),
        run: async (say) => {
          outcomes[n] = await sendAndFollow(world, row, addresses.get(row.user)!, say)
          return `SUCCESS, ${outcomes[n].delivered} delivered`
        },
      })),
    )
  })
  return outcomes
}

function sayWhereItIs(
  { apiUrl, keys, devnet, dashboard }: Installation,
  folder: StateFolder,
  options: DemoOptions,
): string {
  const stateDir = folder.path === stateRoot() ? null : folder.path
  const devnetFile = devnetFileIn(folder.path)
  if (options.service !== false)
    return nextSteps({ apiUrl, docsUrl: `${apiUrl}/docs`, dashboard, clientKey: keys.client, devnetFile, stateDir })
  return `\nControls     ${devnet.controlUrl}\nEverything   ${devnetFile}\nService      set -a; . ${folder.path}/devnet.env; set +a; npx switchyard start\n`
}

/** For a shell to read. It holds keys, as the devnet's file does. */
function writeEnvironment(path: string, env: Record<string, string>): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`)
  rmSync(path, { force: true })
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** What ended is started again; it is said, and the file that others read is kept true. */
function announce(show: Progress, installation: Installation, folder: StateFolder, change: Change): void {
  const { name, kind, pid, error } = change
  if (kind === 'started') return
  if (kind === 'exited') show.say(`! ${name} (process ${pid}) has died; it is started again`)
  if (kind === 'failed') show.say(`! ${name} could not be started again, which is tried on: ${error}`)
  if (kind === 'restarted') {
    show.say(`! ${name} is up again (process ${pid})`)
    if (installation.keys) writeDevnetFile(folder.path, devnetFileOf(installation))
  }
}

/** A chain lives in memory: when its node dies, its money is gone, and nothing here makes sense any more. */
async function lostChain(installation: Installation, isEnding: () => boolean): Promise<never> {
  for (;;) {
    await Bun.sleep(500)
    for (const [name, pid] of Object.entries(installation.devnet.processes))
      if (!isEnding() && !isAlive(pid))
        throw new Failure(`${name} (process ${pid}) has died, and its chain with it: start again.`)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
