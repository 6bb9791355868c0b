import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkVariables } from '../../app/config/config'
import type { Change } from '../../devnet/servers/supervise'
import { Api } from '../client/api'
import { createIntent, demoDeposits, type Outcome, routeText, sendAndFollow } from '../demo/demo-deposits'
import { sendFailures } from '../demo/demo-failures'
import { nextSteps, outcomeTables } from '../demo/demo-summary'
import { withStore } from '../installation/database'
import { devnetFileIn, devnetFileOf, writeDevnetFile } from '../installation/devnet-file'
import { Installation } from '../installation/installation'
import { findingIt, quoted, type StateFolder, takeStateFolder } from '../installation/state-folder'
import { Failure, messageOf } from '../terminal/failure'
import { type Progress, progress, seconds } from '../terminal/progress'
import { untilInterrupted } from '../terminal/signals'

type DemoOptions = { once?: boolean; cctp?: boolean; port?: number | undefined; service?: boolean; deposits?: boolean }

/** Starts everything, routes real deposits, and runs until interrupted. @returns the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  checkVariables(process.env)
  const show = progress()
  const startedAt = performance.now()
  const folder = takeStateFolder((path, { pid, apiUrl }) =>
    show.print(
      `${path} is in use by process ${pid}${apiUrl ? `, whose API is ${apiUrl}` : ''}. This demo uses another folder.`,
    ),
  )
  const installation: Installation = new Installation({
    dir: folder.path,
    ...(options.cctp && { cctp: true }),
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
        const outcomes = await sendDeposits(show, installation)
        show.print(`\n${outcomeTables(outcomes)}`)
        show.print(`\nFrom the start to the last SUCCESS: ${seconds(performance.now() - startedAt)}, without npm ci`)
      }
      if (options.once) return 0
      show.print(whereItIs(installation, folder, options))
      show.print(
        'It runs until Ctrl-C. The next start creates a new world with other organizations, keys and addresses.',
      )
      isUp = true
      if (options.deposits !== false && options.service !== false)
        sendFailures(installation).catch((error) => {
          if (!isEnding) show.print(`! Not every deposit with a problem was sent: ${messageOf(error)}`)
        })
      await Promise.race([interrupted, lostChain(installation, () => isEnding)])
      show.print('Stopping …')
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
  await show.runAll([
    { title: 'NATS with JetStream', run: (report) => installation.startNats(report) },
    { title: 'MongoDB', run: (report) => installation.startMongo(report) },
    { title: 'Five chains, contracts, bridge, LI.FI', run: (report) => installation.startDevnet(report) },
  ])
  await show.runAll([{ title: 'Organizations and API keys', run: () => installation.seed() }])
  const { mongodbUrl, database: mongodbDatabase, natsUrl, apiUrl } = installation
  if (options.service !== false) await show.runAll([{ title: 'Service', run: () => installation.startService() }])
  else await installation.releasePort()
  folder.note({ apiUrl, mongodbUrl, mongodbDatabase, natsUrl })
  writeDevnetFile(folder.path, devnetFileOf(installation))
  if (options.service === false) writeEnvironment(join(folder.path, 'devnet.env'), installation.installationEnv())
}

/** Acts as an integrator, and then as six end users at the same time. */
async function sendDeposits(show: Progress, { apiUrl, keys, devnet, mongodbUrlWithDatabase }: Installation) {
  const api = new Api(apiUrl, keys.client)
  const outcomes: Outcome[] = []
  const addresses = new Map<string, `0x${string}`>()
  await show.runAll([
    {
      title: 'The integrator creates intents',
      run: async () => {
        const intents = await Promise.all(demoDeposits.map((row) => createIntent(api, row)))
        for (const { userId, depositAddress } of intents) addresses.set(userId, depositAddress)
        return `${intents.length} deposit addresses`
      },
    },
  ])
  await withStore(mongodbUrlWithDatabase, async ({ executions }) => {
    const world = { api, devnet, load: (id: string) => executions.load(id) }
    await show.runAll(
      demoDeposits.map((row, n) => ({
        title: routeText(row),
        run: async (report) => {
          outcomes[n] = await sendAndFollow(world, row, addresses.get(row.user)!, report)
          return `SUCCESS, ${outcomes[n].delivered} delivered`
        },
      })),
    )
  })
  return outcomes
}

function whereItIs(
  { apiUrl, keys, devnet, dashboard }: Installation,
  folder: StateFolder,
  options: DemoOptions,
): string {
  const prefix = findingIt(folder.path)
  const devnetFile = devnetFileIn(folder.path)
  if (options.service !== false)
    return nextSteps({ apiUrl, docsUrl: `${apiUrl}/docs`, dashboard, clientKey: keys.client, devnetFile, prefix })
  return `\nControls     ${devnet.controlUrl}\nEverything   ${devnetFile}\nService      set -a; . ${folder.path}/devnet.env; set +a; npx switchyard start\n`
}

/** Writes variables for a shell to read. Only its owner may read the file, because it holds keys. */
function writeEnvironment(path: string, env: Record<string, string>): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  rmSync(path, { force: true })
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** Prints that a server died or was restarted, and updates `devnet.json`. */
function announce(show: Progress, installation: Installation, folder: StateFolder, change: Change): void {
  const { name, kind, pid, error } = change
  if (kind === 'started') return
  if (kind === 'exited') show.print(`! ${name} (process ${pid}) has died and is being restarted`)
  if (kind === 'failed') show.print(`! ${name} could not be restarted and will be retried: ${error}`)
  if (kind === 'restarted') {
    show.print(`! ${name} runs again (process ${pid})`)
    if (installation.keys) writeDevnetFile(folder.path, devnetFileOf(installation))
  }
}

/** Throws when a chain's node dies. A chain lives in memory, so its money is gone and the demo must end. */
async function lostChain(installation: Installation, isEnding: () => boolean): Promise<never> {
  for (;;) {
    await Bun.sleep(500)
    for (const [name, pid] of Object.entries(installation.devnet.processes))
      if (!isEnding() && !isAlive(pid))
        throw new Failure(`${name} (process ${pid}) has died, and its chain is lost. Start the demo again.`)
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
