import { type Command, InvalidArgumentError, Option } from 'commander'
import { isAddress } from 'viem'
import { type ChainKey, chainKeys } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { run, wholeNumber } from '../terminal/command'

export type NodeUrls = Partial<Record<ChainKey, string>>

/** Adds the command that verifies receipts. */
export function receiptCommands(program: Command): void {
  program
    .command('receipt')
    .description('verify signed receipts of executions')
    .command('verify')
    .description('check form, digest and signature of a receipt, and with --online the transactions that it names')
    .argument('<file>', 'the receipt, as the API returned it')
    .option('--signer <address>', 'an address that signs receipts; repeat it for several', addSigner, [])
    .option('--url <url>', 'the address of the service, which publishes its signers')
    .option('--online', 'read the transactions from a node of each chain')
    .option(
      '--rpc <chain=url>',
      'the node of a chain; repeat it for several (default: RPC_URL_<CHAIN>, or the running demo)',
      addNode,
      {},
    )
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait for each answer')
        .default(30)
        .argParser(wholeNumber(1, 3_600)),
    )
    .action(run(async (file: string, options) => (await import('./verify')).verifyReceipt(file, options)))
}

function addSigner(text: string, signers: Address[]): Address[] {
  if (isAddress(text)) return [...signers, text]
  throw new InvalidArgumentError('It must be an EVM address with a valid checksum.')
}

function addNode(text: string, nodes: NodeUrls): NodeUrls {
  const [, key = '', url] = /^(\w+)=(https?:\/\/\S+)$/.exec(text) ?? []
  if (url && chainKeys.some((each) => each === key)) return { ...nodes, [key]: url }
  throw new InvalidArgumentError(`It must be one of ${chainKeys.join(', ')}, then = and an http or https URL.`)
}
