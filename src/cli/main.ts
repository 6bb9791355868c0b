import { type Command, InvalidArgumentError, Option, program } from 'commander'
import { version } from '../app/version'
import { outcomes } from '../devnet/outcomes'
import { chainKeys } from '../domain/chain/chain'
import { messageOf } from './terminal/failure'
import { reportAllMissing, requiredOption } from './terminal/required-options'
import { operatorCommands } from './verbs/operator-commands'
import { tenantCommands } from './verbs/tenant-commands'

const whole = (least: number, most: number) => (text: string) => {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  return Number(text)
}
/** Longer than a signed order is good: what no block ever has ends only then. */
const followSeconds = 240
const portOption = () => new Option('--port <port>', 'port of the API, else PORT').argParser(whole(0, 65_535))

/** A verb's file is read only when it is called; what it returns is the exit code. */
type Act<Given extends unknown[]> = (...given: Given) => Promise<number | undefined> | Promise<void>
const run =
  <Given extends unknown[]>(act: Act<Given>) =>
  async (...given: Given) => {
    try {
      process.exit((await act(...given)) ?? 0)
    } catch (error) {
      process.stderr.write(`${messageOf(error)}\n`)
      if (process.env['DEBUG']) console.error(error)
      process.exit(1)
    }
  }

program
  .name('switchyard')
  .description('Routes cross-chain deposits: one address per user, on five chains.')
  .version(version)

program
  .command('demo')
  .description('start servers, five chains and the service, and show real deposits travel')
  .option('--once', 'end when the last deposit has arrived')
  .addOption(portOption())
  .action(run(async (options) => (await import('./verbs/demo')).demo(options)))

program
  .command('devnet')
  .description('start servers and five chains only')
  .addOption(portOption())
  .action(run(async (options) => (await import('./verbs/devnet')).devnet(options)))

program
  .command('start')
  .description('run the service, as in production, from the environment')
  .action(async () => (await import('./verbs/start')).start())

program
  .command('deposit')
  .description('send a deposit as an end user of the running demo, and follow it to its end')
  .addOption(requiredOption('--user <id>', 'whose deposit address to send to'))
  .option('--organization <slug>', 'whose user that is: a seeded one; else that of SWITCHYARD_API_KEY, else sandbox')
  .addOption(new Option('--from <chain>', 'source chain').choices(chainKeys))
  .option('--token <symbol>', 'token to send, by symbol or address; native: the chain’s coin')
  .option('--amount <decimal>', 'how much of it, as people write it: 25 or 0.5')
  .addOption(
    new Option(
      '--outcome <status>',
      'instead of token and amount: what comes to this status by its real cause',
    ).choices(outcomes.map(({ outcome }) => outcome)),
  )
  .addOption(
    new Option('--to-chain <chain>', 'destination, if the user has none yet or to change it').choices(chainKeys),
  )
  .option('--to-token <symbol>', 'token to receive there')
  .option('--recipient <address>', 'who receives it')
  .addOption(
    new Option('--timeout <seconds>', 'how long to follow it').default(followSeconds).argParser(whole(1, 86_400)),
  )
  .action(run(async (options) => (await import('./verbs/deposit')).deposit(options)))

tenantCommands(program, run, whole)

const blacklist = program.command('blacklist').description('the security list, in MONGODB_URL or in the running demo')
blacklist
  .command('import')
  .description('list what a file or a page names: addresses, OFAC XML, a token list, GoPlus, entries')
  .argument('<file-or-url>', 'where it is written')
  .option('--list <name>', 'the name of the list, which is replaced as a whole; else the file’s')
  .addOption(new Option('--as <listing>', 'what its entries are').choices(['SANCTIONED', 'SCAM', 'MALICIOUS']))
  .addOption(new Option('--kind <kind>', 'of plain addresses').choices(['ADDRESS', 'TOKEN']))
  .addOption(new Option('--chain <chain>', 'where its tokens stand').choices(chainKeys))
  .option('--reason <text>', 'shown with every entry')
  .option('--force', 'though most of what it said before is gone')
  .action(run(async (from, options) => (await import('./verbs/blacklist')).importBlacklist(from, options)))

operatorCommands(program, run, whole)

program
  .command('intents')
  .description('deposit intents, in MONGODB_URL or in the running demo')
  .command('seal')
  .description('once, at the upgrade to sealed intents: seal those that are older, under INTENT_MAC_KEY')
  .action(run(async () => (await import('./verbs/intents')).sealIntents()))

program
  .command('test')
  .description('run every test, or those whose path is given')
  .argument('[paths...]', 'files or folders of tests, such as test/cli')
  .option('--changed [since]', 'only tests that import what differs from the last commit, or from the one named')
  .option('--parallel <count>', 'processes that run test files at once', whole(1, 32), 3)
  .option('--update-timings', 'note how long each file took, so that the longest begin first')
  .action(run(async (paths: string[], options) => (await import('./verbs/test')).test(paths, options)))

program
  .command('bench')
  .description('measure speed, as docs/benchmarks.md does')
  .argument('[names...]', 'only these')
  .action(run(async (names: string[]) => (await import('./verbs/bench')).bench(names)))

program
  .command('fuzz')
  .description('search for faults longer than the tests do')
  .addOption(new Option('--seeds <count>', 'simulated lives of the engine').default(2_000).argParser(whole(1, 1e8)))
  .addOption(new Option('--requests <count>', 'requests to the API').default(200_000).argParser(whole(1, 1e9)))
  .addOption(
    new Option('--runs <count>', 'inputs per property of the contracts').default(20_000).argParser(whole(1, 1e8)),
  )
  .action(run(async (options) => (await import('./verbs/fuzz')).fuzz(options)))

program
  .command('chaos')
  .description('kill workers and NATS each second while deposits travel; then put a worker to sleep for a minute')
  .addOption(new Option('--deposits <count>', 'how many').default(2_000).argParser(whole(10, 100_000)))
  .addOption(new Option('--seconds <count>', 'how long the worker sleeps').default(61).argParser(whole(1, 3_600)))
  .action(run(async (options) => (await import('./verbs/chaos')).chaos(options)))

const showUsage = (command: Command): void => {
  command.showHelpAfterError('(--help shows what there is)')
  for (const each of command.commands) showUsage(each)
}
showUsage(program)
reportAllMissing(program)
await program.parseAsync()
