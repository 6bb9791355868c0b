import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option, program } from 'commander'
import { version } from '../app/version'
import { outcomes } from '../devnet/outcomes'
import { chainKeys, networks } from '../domain/chain/chain'
import { auditCommands } from './audit/commands'
import { contractCommands } from './contracts/commands'
import { receiptCommands } from './receipts/commands'
import { run, wholeNumber } from './terminal/command'
import { reportAllMissing, requiredOption } from './terminal/required-options'
import { operatorCommands } from './verbs/operator-commands'
import { tenantCommands } from './verbs/tenant-commands'
import { webhookCommands } from './verbs/webhook-commands'

/** Longer than the validity of an order, because an order that is never mined ends only when it expires. */
const followSeconds = 240
const portOption = () =>
  new Option('--port <port>', 'the port of the API (default: PORT, or 3000 if it is free)').argParser(
    wholeNumber(0, 65_535),
  )

// Each command's file is loaded only when that command runs, to keep --help fast.
const { NETWORK: named = '' } = process.env
if (named !== '' && !networks.some((each) => each === named)) {
  console.error(`NETWORK must be ${networks.join(' or ')}.`)
  process.exit(1)
}

program
  .name('switchyard')
  .description('Routes cross-chain deposits: one address per user, on five chains.')
  .version(version)

program
  .command('demo')
  .description('start the servers, five chains and the service, and route real deposits')
  .option('--once', 'stop when the last deposit has been delivered')
  .option('--cctp', 'also route USDC over Circle’s CCTP, which burns it on one chain and mints it on another')
  .addOption(portOption())
  .action(run(async (options) => (await import('./verbs/demo')).demo(options)))

program
  .command('devnet')
  .description('start the servers and the five chains without the service')
  .addOption(portOption())
  .action(run(async (options) => (await import('./verbs/demo')).demo({ ...options, service: false, deposits: false })))

program
  .command('start')
  .description('run the service as in production, configured by the environment')
  .action(async () => (await import('../main')).run())

program
  .command('deposit')
  .description('send a deposit as an end user of the running demo, and follow it until it ends')
  .addOption(requiredOption('--user <id>', 'the user to whose deposit address it is sent'))
  .option(
    '--organization <slug>',
    'the user’s organization, one of the demo’s (default: that of SWITCHYARD_API_KEY, or sandbox)',
  )
  .addOption(new Option('--from <chain>', 'the source chain').choices(chainKeys))
  .option('--token <symbol>', 'the token to send, by symbol or address; "native" is the coin of the chain')
  .option('--amount <decimal>', 'how much to send, as a decimal number such as 25 or 0.5')
  .addOption(
    new Option(
      '--outcome <status>',
      'send a deposit that really reaches this status, instead of --token and --amount',
    ).choices(outcomes.map(({ outcome }) => outcome)),
  )
  .addOption(
    new Option('--to-chain <chain>', 'the destination chain, if the user has no intent yet or to change it').choices(
      chainKeys,
    ),
  )
  .option('--to-token <symbol>', 'the token to receive there')
  .option('--recipient <address>', 'the address that receives it')
  .addOption(
    new Option('--timeout <seconds>', 'how long to follow the deposit')
      .default(followSeconds)
      .argParser(wholeNumber(1, 86_400)),
  )
  .action(run(async (options) => (await import('./verbs/deposit')).deposit(options)))

tenantCommands(program)

const blacklist = program
  .command('blacklist')
  .description('manage the security list in MONGODB_URL, or in the running demo')
blacklist
  .command('import')
  .description('import a list of addresses, OFAC XML, a token list, a GoPlus response, or entries')
  .argument('<file-or-url>', 'the file or the page that holds the list')
  .option(
    '--list <name>',
    'the name of the list; an import replaces the list of that name as a whole (default: the name of the file)',
  )
  .addOption(
    new Option('--as <listing>', 'what the entries of the list are').choices(['SANCTIONED', 'SCAM', 'MALICIOUS']),
  )
  .addOption(new Option('--kind <kind>', 'what plain addresses are').choices(['ADDRESS', 'TOKEN']))
  .addOption(new Option('--chain <chain>', 'the chain of the tokens').choices(chainKeys))
  .option('--reason <text>', 'the reason that is shown with every entry')
  .option('--force', 'import it even if most of its earlier entries are gone')
  .action(run(async (from, options) => (await import('./verbs/blacklist')).importBlacklist(from, options)))

operatorCommands(program)
contractCommands(program)
webhookCommands(program)
auditCommands(program)
receiptCommands(program)

program
  .command('people')
  .description('manage dashboard accounts, in MONGODB_URL or in the running demo')
  .command('remove-second-step')
  .description('remove a lost second step, and end that person’s sessions')
  .argument('<email>', 'the person’s e-mail address')
  .addOption(requiredOption('--reason <text>', 'how you verified the person, for the audit log'))
  .action(run(async (email, options) => (await import('./verbs/organizations')).removeSecondStep(email, options)))

const intents = program.command('intents').description('manage deposit intents in MONGODB_URL, or in the running demo')
intents
  .command('reseal')
  .description('seal intents under a new INTENT_MAC_KEY after the old one leaked (new,old); prints records in doubt')
  .option('--backup <url>', 'a database restored from before the leak, to compare each record with')
  .option('--confirmed <file>', 'lines of an earlier run that you have confirmed')
  .option('--apply', 'write; without it nothing is changed')
  .action(run(async (options) => (await import('./verbs/intents')).resealIntents(options)))
intents
  .command('seal')
  .description('seal the intents that are older than seals, under INTENT_MAC_KEY; run this once, when upgrading')
  .action(run(async () => (await import('./verbs/intents')).sealIntents()))

program
  .command('migrate')
  .description('update the documents of an earlier release in MONGODB_URL, or in the running demo')
  .option('--finish', 'also drop the indexes of the earlier release, once none of its processes runs')
  .action(run(async (options) => (await import('./verbs/migrate')).migrate(options)))

program
  .command('signing-log')
  .description('check a signing log for changed lines, offline')
  .argument('<file>', 'SIGNER_LOG_PATH, or a copy of it')
  .action(run(async (path) => (await import('./verbs/signing-log')).signingLog(path)))

program
  .command('accept-signing-log')
  .description('let workers trust the signer again, after its log was shortened or replaced on purpose')
  .argument('<hash>', 'the hash of the last entry, as "signing-log" prints it for the log of the signer')
  .addOption(requiredOption('--reason <text>', 'why the log has changed, for the audit log'))
  .action(run(async (hash, options) => (await import('./verbs/signing-log')).acceptSignerLog(hash, options)))

program
  .command('doctor')
  .description('examine the installation that the environment describes, before money moves; it changes nothing')
  .option('--all', 'show good findings too')
  .option('--json', 'print the report as JSON')
  .option('--no-quotes', 'request no quotes (otherwise 20 from each routing provider)')
  .option('--keep <folder>', 'write every response of a node or provider there, without secrets')
  .option('--nats-monitor <urls...>', 'the monitoring URL of each NATS server, which shows how it writes to disk', [])
  .action(run(async (options) => (await import('./verbs/doctor')).doctor(options)))

program
  .command('stop-everything')
  .description('pause the executor on every chain with the guardian’s key, when nothing else can be trusted')
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async () => import(join(import.meta.dir, 'stop-everything.mjs')))

/** The commands for developing Switchyard itself. A container's image has no tests, and shows none of them. */
const development = join(import.meta.dir, '..', '..', 'test', 'commands', 'commands.ts')
if (existsSync(development))
  ((await import(development)) as typeof import('../../test/commands/commands')).developmentCommands(program)

const showHelpAfterErrors = (command: Command): void => {
  command.showHelpAfterError('(run it with --help to see the commands and options)')
  for (const subcommand of command.commands) showHelpAfterErrors(subcommand)
}
showHelpAfterErrors(program)
reportAllMissing(program)
await program.parseAsync()
