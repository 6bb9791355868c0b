import { Argument, type Command, Option } from 'commander'
import { roles } from '../../domain/tenant/api-key'
import { plans } from '../../domain/tenant/organization'
import { policyBounds } from '../../domain/tenant/policy-overrides'
import { memberRoles } from '../../ports/members'
import { requiredOption } from '../terminal/required-options'
import type { Run, Whole } from '../terminal/run'

/** Organizations and their keys, from a terminal. */
export function tenantCommands(program: Command, run: Run, whole: Whole): void {
  const keys = program.command('keys').description('API keys, in MONGODB_URL or in the running demo')
  keys
    .command('create')
    .description('make a key and show it, once')
    .addOption(requiredOption('--organization <slug>', 'slug or id of its organization'))
    .option('--label <text>', 'what people call it', 'made on the command line')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).default('CLIENT'))
    .addOption(
      new Option('--protocol-fee-bps <bps>', 'protocol fee, in hundredths of a percent')
        .default(0)
        .argParser(whole(0, 1_000)),
    )
    .option('--sponsored-gas', 'the platform pays the gas', false)
    .action(run(async (options) => (await import('./keys')).createKey(options)))
  keys
    .command('list')
    .description('show what is known of the keys; their texts are kept nowhere')
    .option('--organization <slug>', 'only those of one organization')
    .action(run(async (options) => (await import('./keys')).listKeys(options)))
  keys
    .command('revoke')
    .description('end a key for good')
    .argument('<id>', 'key_…, as keys list shows it')
    .action(run(async (id) => (await import('./keys')).revokeKey(id)))

  const organizations = program
    .command('organizations')
    .description('organizations, in MONGODB_URL or in the running demo')
  organizations
    .command('create')
    .description('make an organization; keys and a first owner make it a tenant')
    .addOption(requiredOption('--slug <slug>', 'its short name: lower case letters, digits and -'))
    .option('--name <name>', 'its name')
    .addOption(new Option('--plan <plan>', 'what it may use').choices(Object.keys(plans)).default('free'))
    .option('--platform', 'its operators see every organization', false)
    .action(run(async (options) => (await import('./organizations')).createOrganization(options)))
  organizations
    .command('plan')
    .description('change what an organization may use: rates, quota, sponsored gas')
    .argument('<slug>', 'slug or id')
    .addArgument(new Argument('<plan>', 'which plan from now on').choices(Object.keys(plans)))
    .action(run(async (slug, plan) => (await import('./organizations')).setPlan(slug, plan)))
  const within = ({ least, most }: { least: number; most: number }) => whole(least, most)
  organizations
    .command('policy')
    .description('show and change what an organization wants of its routes')
    .argument('<slug>', 'slug or id')
    .addOption(
      new Option('--slippage-bps <bps>', 'most slippage, in hundredths of a percent').argParser(
        within(policyBounds.slippageBps),
      ),
    )
    .addOption(
      new Option(
        '--min-output-bps <bps>',
        'least that may arrive, in hundredths of a percent of what goes in; below 9700 it is sealed under INTENT_MAC_KEY',
      ).argParser(within(policyBounds.minOutputBps)),
    )
    .addOption(
      new Option('--max-duration-seconds <seconds>', 'the longest that a route may take').argParser(
        within(policyBounds.maxDurationSeconds),
      ),
    )
    .addOption(new Option('--max-hops <count>', 'most steps of a route').argParser(within(policyBounds.maxHops)))
    .option('--requires-sponsored-gas', 'route only where the platform pays the gas')
    .option('--no-requires-sponsored-gas', 'route no matter who pays the gas')
    .option('--reset', 'forget what was set before: the platform’s own again')
    .action(run(async (slug, options) => (await import('./organizations')).setPolicy(slug, options)))
  organizations
    .command('invite')
    .description('make a link by which somebody joins in the dashboard: the first owner, for example')
    .argument('<slug>', 'slug or id')
    .addOption(requiredOption('--email <address>', 'who may join by it'))
    .addOption(new Option('--role <role>', 'what that person may do there').choices(memberRoles).default('owner'))
    .action(run(async (slug, options) => (await import('./organizations')).inviteMember(slug, options)))
  organizations
    .command('list')
    .description('show every organization')
    .action(run(async () => (await import('./organizations')).listOrganizations()))
}
