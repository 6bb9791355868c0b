import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { chainKeys, chains } from '../../domain/chain/chain'
import { parseAmount } from '../../domain/money/amount'
import { requiredOption } from '../terminal/required-options'
import type { Run, Whole } from '../terminal/run'

type Given = { reason: string }

const operate = () => import('./operator-actions')
const many = () => import('./operator-jobs')
const reasonMin = 3
const reasonMax = 500

function reasonGiven(text: string): string {
  const { length } = text.trim()
  if (length >= reasonMin && length <= reasonMax) return text
  throw new InvalidArgumentError(`It must have ${reasonMin} to ${reasonMax} characters.`)
}
const said = `why, in ${reasonMin} to ${reasonMax} characters; the integrator reads it`

const chainIdOf = (name: string): number => chains[name as keyof typeof chains].id

/** What operators do, from a terminal. */
export function operatorCommands(program: Command, run: Run, whole: Whole): void {
  const operator = program
    .command('operator')
    .description('what operators do, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL, or in the running demo')
  const verb = (name: string, description: string) =>
    operator
      .command(name)
      .description(description)
      .addOption(requiredOption('--reason <text>', said).argParser(reasonGiven))
  const ofExecution = (name: string, description: string) =>
    verb(name, description).argument('<id>', 'the execution; one that is not shown yet has the id of its deposit')
  const chain = () => new Option('--chain <chain>', 'which chain; all without it').choices(chainKeys)
  const whose = () => new Option('--organization <slug>', 'for the scope organization: whose, of the demo’s own')

  ofExecution('retry', 'make the next attempt now').action(
    run(async (id: string, options: Given) => (await operate()).retryOrDeadLetter('retry', id, options)),
  )
  ofExecution('approve', 'accept a least output where nobody can say what it is worth')
    .addOption(
      requiredOption('--amount-out-min <amount>', 'in atomic units of the target token').argParser((text) => {
        if (parseAmount(text)) return text
        throw new InvalidArgumentError('It must be a positive amount in atomic units.')
      }),
    )
    .action(run(async (id: string, options: Given) => (await operate()).approve(id, options as never)))
  ofExecution('dead-letter', 'end what waits, for good').action(
    run(async (id: string, options: Given) => (await operate()).retryOrDeadLetter('dead-letter', id, options)),
  )
  ofExecution('redrive', 'route what is still in the account, as a new execution')
    .addOption(requiredOption('--intent <which>', 'who gets paid').choices(['current', 'original']))
    .action(run(async (id: string, options: Given) => (await operate()).redrive(id, options as never)))
  ofExecution('refund', 'send it to the refund address that the intent names').action(
    run(async (id: string, options: Given) => (await operate()).refund(id, options as never)),
  )

  const scopes = 'all, chain:<id>, provider:<name>, token:<chain id>:<address> or organization'
  verb('pause', 'sign nothing new; deposits wait')
    .argument('<scope>', scopes)
    .option('--until <time>', 'when it ends by itself, ISO 8601')
    .addOption(whose())
    .action(run(async (scope: string, options: Given) => (await operate()).pause(scope, options as never)))
  verb('resume', 'end a pause: deposits go on')
    .argument('<scope>', scopes)
    .addOption(whose())
    .action(run(async (scope: string, options: Given) => (await operate()).resume(scope, options as never)))
  operator
    .command('pauses')
    .description('show what is paused')
    .action(run(async () => (await operate()).pauses()))

  verb('list', 'put a token or an address on the security list')
    .argument('<address>', 'token or address')
    .addOption(requiredOption('--kind <kind>', 'what it is').choices(['token', 'address']))
    .addOption(chain())
    .addOption(
      new Option('--as <listing>', 'what it is listed as')
        .choices(['sanctioned', 'scam', 'malicious', 'allowed'])
        .default('scam'),
    )
    .option('--expires <time>', 'when it counts no more, ISO 8601')
    .action(
      run(async (address: string, { chain: name, ...options }: { chain?: string }) =>
        (await operate()).list(address, { ...options, ...(name && { chain: chainIdOf(name) }) } as never),
      ),
    )
  verb('unlist', 'take an entry off the security list')
    .argument('<id>', 'the entry')
    .action(run(async (id: string, options: Given) => (await operate()).unlist(id, options as never)))
  for (const [name, description] of [
    ['blacklist', 'show the security list'],
    ['states', 'count the executions by state'],
    ['providers', 'show how the routing providers do'],
    ['overdue', 'show what should have moved by now'],
  ] as const)
    operator
      .command(name)
      .description(description)
      .action(run(async () => (await operate())[name]()))
  operator
    .command('audit')
    .description('show who did what, newest first')
    .addOption(new Option('--limit <count>', 'how many').default(20).argParser(whole(1, 100)))
    .action(run(async (options: Given) => (await operate()).audit(options as never)))

  verb('job', 'retry or redrive many, and follow it')
    .addArgument(new Argument('<verb>', 'what to do with each').choices(['retry', 'redrive']))
    .addOption(
      requiredOption(
        '--filter <name=value...>',
        'which: the filters of GET /api/executions, such as causeCode=PROVIDER_FAILED',
      ),
    )
    .addOption(new Option('--intent <which>', 'for redrive: who gets paid').choices(['current', 'original']))
    .action(run(async (name: string, options: Given) => (await many()).runJob(name, options as never)))
  verb('scan', 'read blocks again, and follow it')
    .addOption(requiredOption('--chain <chain>', 'which chain').choices(chainKeys))
    .addOption(requiredOption('--from <block>', 'first block').argParser(whole(0, 999_999_999)))
    .addOption(requiredOption('--to <block>', 'last block').argParser(whole(0, 999_999_999)))
    .action(
      run(async ({ chain: name, ...options }: { chain: string }) =>
        (await many()).runScan({ ...options, chain: chainIdOf(name) } as never),
      ),
    )
}
