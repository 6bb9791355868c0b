import { type Command, Option } from 'commander'
import { chainKeys } from '../../domain/chain/chain'
import { run } from '../terminal/command'

/** Adds the commands that deploy our contracts to empty chains. */
export function contractCommands(program: Command): void {
  const contracts = program.command('contracts').description('deploy the contracts, and compare chains with a file')
  const command = (name: string, description: string) =>
    contracts
      .command(name)
      .description(description)
      .option('--file <path>', 'the deployment file', 'deployment.json')
      .addOption(new Option('--chain <chains...>', 'only these chains (default: all)').choices(chainKeys))

  command('plan', 'simulate the remaining steps on every chain, and show their state and cost').action(
    run(async (options) => (await import('./plan')).plan(options)),
  )
  command('deploy', 'take the steps that are ready, with DEPLOYER_PRIVATE_KEY and HOLDER_PRIVATE_KEYS').action(
    run(async (options) => (await import('./contracts')).deploy(options)),
  )
  command('handover', 'give the three roles to the live holders, once everything else is done').action(
    run(async (options) => (await import('./contracts')).deploy({ ...options, handOver: true })),
  )
  command('status', 'show what is deployed and in progress, differences, holders, and pending changes with their times')
    .option('--json', 'for programs')
    .action(run(async (options) => (await import('./status')).status(options)))
  command('settings', 'show caps, fees, relayers, signers and collectors beside the file, and change them')
    .option('--change', 'take the steps that are ready, with HOLDER_PRIVATE_KEYS')
    .option('--unpause', 'end a pause as well, which the admin schedules and applies two days later')
    .action(run(async (options) => (await import('./settings')).settings(options)))
  contracts
    .command('recover <recovery>')
    .description('show a recovery by two holders from a recovery file, and take a step with HOLDER_PRIVATE_KEYS')
    .option('--file <path>', 'the deployment file', 'deployment.json')
    .option('--approve', 'approve it, for one holder')
    .option('--withdraw', 'withdraw an approval')
    .option('--veto', 'veto it, as the guardian or the admin')
    .option('--carry-out', 'carry it out, three days after the second approval')
    .action(run(async (recovery: string, options) => (await import('./recovery')).recover(recovery, options)))
  command('verify', 'read code, roles, rules, caps and holders back from the chains, and compare them').action(
    run(async (options) => (await import('./contracts')).verify(options)),
  )
}
