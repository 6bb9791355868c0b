import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { chainKeys, chains } from '../../domain/chain/chain'
import { parseAmount } from '../../domain/money/amount'
import { run, wholeNumber } from '../terminal/command'
import { requiredOption } from '../terminal/required-options'

type Options = { reason: string }

const actions = () => import('./operator-actions')
const jobs = () => import('./operator-jobs')
const reasonMin = 3
const reasonMax = 500

/** Adds the operators' commands. Every command that changes something requires a reason. */
export function operatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('act as an operator, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the running demo')
  addExecutionCommands(operator)
  addPauseCommands(operator)
  addSecurityListCommands(operator)
  addReadCommands(operator)
  addBulkCommands(operator)
}

const addCommand = (operator: Command, name: string, description: string): Command =>
  operator
    .command(name)
    .description(description)
    .addOption(
      requiredOption(
        '--reason <text>',
        `the reason, in ${reasonMin} to ${reasonMax} characters; the integrator can read it`,
      ).argParser(parseReason),
    )

function parseReason(text: string): string {
  const { length } = text.trim()
  if (length >= reasonMin && length <= reasonMax) return text
  throw new InvalidArgumentError(`It must have ${reasonMin} to ${reasonMax} characters.`)
}

const chainIdOf = (name: string): number => chains[name as keyof typeof chains].id

const intentVersionOption = () =>
  new Option(
    '--intent-version <version>',
    'the version of the user’s intent that you saw (default: the one read right before); if it has changed, nothing is done',
  ).argParser(wholeNumber(1, 999_999_999))
const seqOption = () =>
  new Option(
    '--seq <seq>',
    'the `seq` of the execution that you saw (default: the one read right before); if it has changed, nothing is done',
  ).argParser(wholeNumber(1, 999_999_999))
const seenOption = (what: string) =>
  new Option('--seen <version>', `the version of the ${what} that you saw (default: the one read right before)`)

function addExecutionCommands(operator: Command): void {
  const addForExecution = (name: string, description: string) =>
    addCommand(operator, name, description).argument(
      '<id>',
      'the id of the execution, or of its deposit if the execution is not shown yet',
    )
  addForExecution('retry', 'make the next attempt now').action(
    run(async (id: string, options: Options) => (await actions()).retry(id, options)),
  )
  addForExecution('approve', 'approve a minimum output for an execution whose value is unknown')
    .addOption(
      requiredOption('--amount-out-min <amount>', 'the minimum output, in atomic units of the target token').argParser(
        (text) => {
          if (parseAmount(text)) return text
          throw new InvalidArgumentError('It must be a positive amount in atomic units.')
        },
      ),
    )
    .addOption(seqOption())
    .action(run(async (id: string, options: Options) => (await actions()).approve(id, options as never)))
  addForExecution('dead-letter', 'end a waiting execution permanently')
    .addOption(seqOption())
    .action(run(async (id: string, options: Options) => (await actions()).deadLetter(id, options)))
  addForExecution('redrive', 'route the money still in the account, as a new execution')
    .addOption(
      requiredOption('--intent <which>', 'the intent that names the recipient').choices(['current', 'original']),
    )
    .addOption(intentVersionOption())
    .action(run(async (id: string, options: Options) => (await actions()).redrive(id, options as never)))
  addForExecution('refund', 'send the money to the intent’s refund address')
    .addOption(intentVersionOption())
    .action(run(async (id: string, options: Options) => (await actions()).refund(id, options as never)))
}

function addPauseCommands(operator: Command): void {
  const scopes = 'all, chain:<id>, provider:<name>, token:<chain id>:<address> or organization'
  const organizationOption = () =>
    new Option('--organization <slug>', 'the organization for the scope "organization", one of the demo’s')
  addCommand(operator, 'pause', 'sign nothing new within a scope; deposits wait until the pause ends')
    .argument('<scope>', scopes)
    .option('--until <time>', 'when the pause ends automatically, as an ISO 8601 time')
    .addOption(organizationOption())
    .option(
      '--seen <version>',
      'the version of the pause in force that this one replaces, as "operator pauses" shows it',
    )
    .action(run(async (scope: string, options: Options) => (await actions()).pause(scope, options as never)))
  addCommand(operator, 'resume', 'end a pause and let deposits continue')
    .argument('<scope>', scopes)
    .addOption(organizationOption())
    .addOption(seenOption('pause'))
    .action(run(async (scope: string, options: Options) => (await actions()).resume(scope, options as never)))
  operator
    .command('pauses')
    .description('show what is paused')
    .action(run(async () => (await actions()).pauses()))
}

function addSecurityListCommands(operator: Command): void {
  addCommand(operator, 'list', 'add a token or an address to the security list')
    .argument('<address>', 'the address of the token or of the person')
    .addOption(requiredOption('--kind <kind>', 'what the address is').choices(['token', 'address']))
    .addOption(new Option('--chain <chain>', 'the chain it applies to (default: all)').choices(chainKeys))
    .addOption(
      new Option('--as <listing>', 'what it is listed as')
        .choices(['sanctioned', 'scam', 'malicious', 'allowed'])
        .default('scam'),
    )
    .option('--expires <time>', 'when the entry expires, as an ISO 8601 time')
    .option('--seen <version>', 'the version of the entry that this one replaces, as "operator blacklist" shows it')
    .action(
      run(async (address: string, { chain: name, ...options }: { chain?: string }) =>
        (await actions()).list(address, { ...options, ...(name && { chain: chainIdOf(name) }) } as never),
      ),
    )
  addCommand(operator, 'unlist', 'remove an entry from the security list')
    .argument('<id>', 'the id of the entry, as "operator blacklist" shows it')
    .addOption(seenOption('entry'))
    .action(run(async (id: string, options: Options) => (await actions()).unlist(id, options as never)))
}

function addReadCommands(operator: Command): void {
  for (const [name, description] of [
    ['blacklist', 'show the security list'],
    ['states', 'count the executions by state'],
    ['providers', 'show the health of the routing providers'],
    ['overdue', 'show overdue work'],
  ] as const)
    operator
      .command(name)
      .description(description)
      .action(run(async () => (await actions())[name]()))
  operator
    .command('audit')
    .description('show who did what, newest first')
    .addOption(new Option('--limit <count>', 'how many entries to show').default(20).argParser(wholeNumber(1, 100)))
    .action(run(async (options: Options) => (await actions()).audit(options as never)))
}

function addBulkCommands(operator: Command): void {
  addCommand(operator, 'job', 'retry or redrive many executions, and follow the job until it is done')
    .addArgument(new Argument('<verb>', 'what to do with each execution').choices(['retry', 'redrive']))
    .addOption(
      requiredOption(
        '--filter <name=value...>',
        'which executions: the filters of GET /api/executions, such as causeCode=PROVIDER_FAILED',
      ),
    )
    .addOption(
      new Option('--intent <which>', 'for redrive: the intent that names the recipient').choices([
        'current',
        'original',
      ]),
    )
    .option(
      '--seen-at <time>',
      'when you saw the executions, as an ISO 8601 time (default: now); those that failed or ended later are left out',
    )
    .action(run(async (verb: 'retry' | 'redrive', options: Options) => (await jobs()).runJob(verb, options as never)))
  addCommand(operator, 'scan', 'read a range of blocks again, and follow the scan until it is done')
    .addOption(requiredOption('--chain <chain>', 'the chain').choices(chainKeys))
    .addOption(requiredOption('--from <block>', 'the first block').argParser(wholeNumber(0, 999_999_999)))
    .addOption(requiredOption('--to <block>', 'the last block').argParser(wholeNumber(0, 999_999_999)))
    .action(
      run(async ({ chain: name, ...options }: { chain: string }) =>
        (await jobs()).runScan({ ...options, chain: chainIdOf(name) } as never),
      ),
    )
}
