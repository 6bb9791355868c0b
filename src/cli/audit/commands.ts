import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ChainHead } from '../../domain/tenant/audit-chain'
import { run } from '../terminal/command'

/** Adds the audit of all money, and the commands that export the audit log and check it for tampering. */
export function auditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .description(
      'explain every unit of every account, collector and relayer, from the chains and the database; it only reads',
    )
    .option('--json', 'print the report as JSON')
    .action(run(async (options) => (await import('./money')).auditMoney(options)))
  audit
    .command('export')
    .description(
      'print the whole audit log, with the OPERATOR key in SWITCHYARD_API_KEY at SWITCHYARD_API_URL or in the demo',
    )
    .addOption(new Option('--format <format>', 'JSON lines or a table').choices(['jsonl', 'csv']).default('jsonl'))
    .action(run(async ({ format }) => (await import('./verify')).exportAudit(format)))
  audit
    .command('verify')
    .description('check an export of the audit log offline, or, without a file, the log of the service')
    .argument('[file]', 'the export to check')
    .option(
      '--head <seq:hash>',
      'an earlier end of the chain, which must still be in it; repeatable',
      (text: string, heads: ChainHead[]) => [...heads, parseHead(text)],
      [] as ChainHead[],
    )
    .action(run(async (file: string | undefined, { head }) => (await import('./verify')).verifyAudit(file, head)))
}

function parseHead(text: string): ChainHead {
  const [, seq, hash] = /^(\d{1,12}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq && hash) return { seq: Number(seq), hash }
  throw new InvalidArgumentError('It must be a number, a colon and a hash of 64 digits, as "audit verify" prints it.')
}
