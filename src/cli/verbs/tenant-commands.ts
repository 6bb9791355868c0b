import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { policyBounds } from '../../domain/execution/route'
import { isAddressRange } from '../../domain/tenant/address-range'
import { roles } from '../../domain/tenant/api-key'
import { memberRoles } from '../../domain/tenant/member-role'
import { plans } from '../../domain/tenant/organization'
import { run, wholeNumber } from '../terminal/command'
import { requiredOption } from '../terminal/required-options'

/** Adds the commands that manage organizations and their API keys. */
export function tenantCommands(program: Command): void {
  addKeyCommands(program.command('keys').description('manage API keys in MONGODB_URL, or in the running demo'))
  addOrganizationCommands(
    program.command('organizations').description('manage organizations in MONGODB_URL, or in the running demo'),
  )
}

function addKeyCommands(keys: Command): void {
  keys
    .command('create')
    .description('create a key and show it once')
    .addOption(requiredOption('--organization <slug>', 'the slug or the id of its organization'))
    .option('--label <text>', 'a name to recognise it by', 'made on the command line')
    .addOption(new Option('--role <role>', 'what the key may do').choices(roles).default('CLIENT'))
    .addOption(
      new Option('--protocol-fee-bps <bps>', 'the protocol fee in basis points')
        .default(0)
        .argParser(wholeNumber(0, 1_000)),
    )
    .option('--sponsored-gas', 'let the platform pay for gas')
    .addOption(
      new Option('--expires-in-days <days>', 'days until it expires (default: never)').argParser(wholeNumber(1, 3_650)),
    )
    .option(
      '--allow <range>',
      'an IP address or CIDR range from which it may be used; repeatable (default: any)',
      (range: string, ranges: string[] = []) => [...ranges, parseRange(range)],
    )
    .action(run(async (options) => (await import('./keys')).createKey(options)))
  keys
    .command('list')
    .description('show the keys; their texts are not stored')
    .option('--organization <slug>', 'show only the keys of this organization')
    .action(run(async (options) => (await import('./keys')).listKeys(options)))
  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<id>', 'the id of the key (key_…), as "keys list" shows it')
    .action(run(async (id) => (await import('./keys')).revokeKey(id)))
}

function parseRange(text: string): string {
  if (isAddressRange(text)) return text
  throw new InvalidArgumentError('It must be an IP address or a CIDR range, such as 10.0.0.0/8.')
}

function addOrganizationCommands(organizations: Command): void {
  organizations
    .command('create')
    .description('create an organization')
    .addOption(requiredOption('--slug <slug>', 'its short name, of lower case letters, digits and hyphens'))
    .option('--name <name>', 'its full name')
    .addOption(new Option('--plan <plan>', 'its plan').choices(Object.keys(plans)).default('free'))
    .option('--platform', 'make it the platform, whose operators see every organization')
    .action(run(async (options) => (await import('./organizations')).createOrganization(options)))
  organizations
    .command('plan')
    .description('change the plan of an organization: its rates, its quota, and whether it has sponsored gas')
    .argument('<slug>', 'its slug or id')
    .addArgument(new Argument('<plan>', 'the new plan').choices(Object.keys(plans)))
    .action(run(async (slug, plan) => (await import('./organizations')).setPlan(slug, plan)))
  addPolicyCommand(organizations)
  organizations
    .command('invite')
    .description('create a link to join an organization in the dashboard, for example for the first owner')
    .argument('<slug>', 'the slug or the id of the organization')
    .addOption(requiredOption('--email <address>', 'the e-mail address of the person who may join'))
    .addOption(new Option('--role <role>', 'what that person may do there').choices(memberRoles).default('owner'))
    .action(run(async (slug, options) => (await import('./organizations')).inviteMember(slug, options)))
  organizations
    .command('list')
    .description('show every organization')
    .action(run(async () => (await import('./organizations')).listOrganizations()))
}

function addPolicyCommand(organizations: Command): void {
  const bounded = (flags: string, description: string, { least, most }: { least: number; most: number }) =>
    new Option(flags, description).argParser(wholeNumber(least, most))
  organizations
    .command('policy')
    .description('show and change the limits that routes of an organization must keep')
    .argument('<slug>', 'its slug or id')
    .addOption(bounded('--slippage-bps <bps>', 'the most slippage, in basis points', policyBounds.slippageBps))
    .addOption(
      bounded(
        '--min-output-bps <bps>',
        'the minimum output, in basis points of the input; below 9700 it is sealed under INTENT_MAC_KEY',
        policyBounds.minOutputBps,
      ),
    )
    .addOption(
      bounded('--max-duration-seconds <seconds>', 'the longest time a route may take', policyBounds.maxDurationSeconds),
    )
    .addOption(bounded('--max-hops <count>', 'the most steps a route may have', policyBounds.maxHops))
    .option('--requires-sponsored-gas', 'route only if the platform pays for gas')
    .option('--no-requires-sponsored-gas', 'route regardless of who pays for gas')
    .option('--reset', 'remove the organization’s own limits and use the platform’s again')
    .action(run(async (slug, options) => (await import('./organizations')).setPolicy(slug, options)))
}
