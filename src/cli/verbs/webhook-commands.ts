import { type Command, Option } from 'commander'
import { chainKeys } from '../../domain/chain/chain'
import { run, wholeNumber } from '../terminal/command'

/** An execution that is tried again until it is given up takes the longest. */
const triggerSeconds = 240

const verbs = () => import('./webhooks')

/** Adds the commands for what is posted to an organization's endpoints, and to a developer's own machine. */
export function webhookCommands(program: Command): void {
  program
    .command('listen')
    .description('print events as they happen, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the running demo')
    .option(
      '--forward <url>',
      'post each to this server too, signed like a webhook, such as http://localhost:4242/hooks',
    )
    .option('--types <types>', 'types of events or families such as deposit.*, with commas between them')
    .option('--after <id>', 'begin after this event (evt_…) instead of now')
    .option('--json', 'print each event as a line of JSON, and everything else to the standard error', false)
    .action(run(async (options) => (await import('./listen')).listen(options)))
  program
    .command('trigger')
    .description('make an event or an outcome really happen in the running demo, and wait until it is told')
    .argument('<event>', 'a type of event such as execution.dead_letter, or an outcome such as DEAD_LETTER')
    .addOption(new Option('--from <chain>', 'the chain on which it happens').choices(chainKeys).default('base'))
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait').default(triggerSeconds).argParser(wholeNumber(1, 86_400)),
    )
    .action(run(async (event, options) => (await import('./trigger')).trigger(event, options)))
  const webhooks = program
    .command('webhooks')
    .description('show and resend webhooks, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the running demo')
  webhooks
    .command('create')
    .description('have events posted to a URL, and show the secret once')
    .argument('<url>', 'where they are posted')
    .option('--types <types>', 'types of events or families such as deposit.*, with commas between them')
    .action(run(async (url, options) => (await verbs()).createEndpoint(url, options)))
  webhooks
    .command('list')
    .description('show the endpoints')
    .action(run(async () => (await verbs()).listEndpoints()))
  webhooks
    .command('deliveries')
    .description('show the last deliveries to an endpoint')
    .argument('<id>', 'the id of the endpoint (whe_…)')
    .option('--status <status>', 'only those that are PENDING, RETRYING, DELIVERED or FAILED')
    .action(run(async (id, options) => (await verbs()).listDeliveries(id, options)))
  webhooks
    .command('test')
    .description('post a sample now and show what the endpoint answered')
    .argument('<id>', 'the id of the endpoint (whe_…)')
    .option('--type <type>', 'the type of event', 'webhook.test')
    .action(run(async (id, options) => (await verbs()).testEndpoint(id, options)))
  webhooks
    .command('resend')
    .description('post events again')
    .argument('<id>', 'the id of the endpoint (whe_…)')
    .option('--event <id>', 'one event (evt_…)')
    .option('--since <time>', 'all that were stored at this time or later')
    .option('--only-failed', 'of these, only those that failed for good', false)
    .action(run(async (id, options) => (await verbs()).resend(id, options)))
}
