import { type Command, Option } from 'commander'
import { chainKeys } from '../../domain/chain/chain'
import { run, wholeNumber } from '../terminal/command'

/** Longest for an execution that is retried until it fails permanently. */
const triggerSeconds = 240

const verbs = () => import('./webhooks')

/** Adds the commands for events: posted to an organization's endpoints, or to a developer's machine. */
export function webhookCommands(program: Command): void {
  program
    .command('listen')
    .description('print events as they happen, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the running demo')
    .option(
      '--forward <url>',
      'also forward each to this server, signed like a webhook, such as http://localhost:4242/hooks',
    )
    .option('--types <types>', 'types of events or families such as deposit.*, with commas between them')
    .option('--after <id>', 'start after this event (evt_…) instead of now')
    .option('--json', 'print each event as a line of JSON, and everything else to standard error')
    .action(run(async (options) => (await import('./listen')).listen(options)))
  program
    .command('trigger')
    .description('make an event or an outcome really happen in the running demo, and wait until it is emitted')
    .argument('<event>', 'a type of event such as execution.dead_letter, or an outcome such as DEAD_LETTER')
    .addOption(new Option('--from <chain>', 'the chain on which it happens').choices(chainKeys).default('base'))
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait').default(triggerSeconds).argParser(wholeNumber(1, 86_400)),
    )
    .action(run(async (event, options) => (await import('./trigger')).trigger(event, options)))
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks, with SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the running demo')
  addEndpointCommands(webhooks)
  addDeliveryCommands(webhooks)
}

const addForEndpoint = (webhooks: Command, name: string, description: string) =>
  webhooks.command(name).description(description).argument('<id>', 'the id of the endpoint (whe_…)')

const typesOption = [
  '--types <types>',
  'types of events or families such as deposit.*, with commas between them',
] as const

function addEndpointCommands(webhooks: Command): void {
  webhooks
    .command('create')
    .description('send events to a URL, and show the secret once')
    .argument('<url>', 'the URL that receives them')
    .option(...typesOption)
    .option('--description <text>', 'your own note')
    .action(run(async (url, options) => (await verbs()).createEndpoint(url, options)))
  webhooks
    .command('list')
    .description('show the endpoints')
    .action(run(async () => (await verbs()).listEndpoints()))
  addForEndpoint(webhooks, 'edit', 'change the URL, the event types or the description')
    .option('--url <url>', 'the new URL')
    .option(...typesOption)
    .option('--description <text>', 'your own note; an empty one removes it')
    .action(run(async (id, options) => (await verbs()).editEndpoint(id, options)))
  addForEndpoint(webhooks, 'enable', 'enable an endpoint, and send what it missed in the last 7 days').action(
    run(async (id: string) => (await verbs()).setEnabled(id, true)),
  )
  addForEndpoint(webhooks, 'disable', 'send nothing to an endpoint until it is enabled').action(
    run(async (id: string) => (await verbs()).setEnabled(id, false)),
  )
  addForEndpoint(webhooks, 'delete', 'delete an endpoint and its undelivered events').action(
    run(async (id: string) => (await verbs()).deleteEndpoint(id)),
  )
  addForEndpoint(webhooks, 'rotate-secret', 'create a new secret, and show it once')
    .addOption(
      new Option('--overlap <seconds>', 'how long the old secret also signs')
        .default(86_400)
        .argParser(wholeNumber(0, 604_800)),
    )
    .action(run(async (id, options) => (await verbs()).rotateSecret(id, options)))
}

function addDeliveryCommands(webhooks: Command): void {
  addForEndpoint(webhooks, 'deliveries', 'show the deliveries to an endpoint, newest first')
    .option('--status <status>', 'only those that are PENDING, RETRYING, DELIVERED or FAILED')
    .option('--event <id>', 'only that of this event (evt_…)')
    .addOption(new Option('--limit <count>', 'how many to show').default(20).argParser(wholeNumber(1, 100)))
    .option('--cursor <cursor>', 'continue after the previous page, which prints it')
    .action(run(async (id, options) => (await verbs()).listDeliveries(id, options)))
  addForEndpoint(webhooks, 'delivery', 'show a delivery with every attempt and its body')
    .argument('<delivery>', 'the id of the delivery (dlv_…)')
    .action(run(async (id: string, delivery: string) => (await verbs()).showDelivery(id, delivery)))
  addForEndpoint(webhooks, 'test', 'send a sample now and show the endpoint’s response')
    .option('--type <type>', 'the type of event', 'webhook.test')
    .action(run(async (id, options) => (await verbs()).testEndpoint(id, options)))
  addForEndpoint(webhooks, 'resend', 'resend events: one, or the oldest 10,000 of a period')
    .option('--event <id>', 'one event (evt_…)')
    .option('--since <time>', 'all that were created at this time or later')
    .option('--until <time>', 'and before this time (default: now)')
    .option('--only-failed', 'of these, only those that failed permanently')
    .option('--not-accepted', 'of these, also those that are still retried')
    .action(run(async (id, options) => (await verbs()).resend(id, options)))
}
