import { readFileSync } from 'node:fs'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Ask } from '../../adapters/evm/rpc/json-rpc'
import { nodes } from '../../adapters/evm/rpc/nodes'
import { noTelemetry } from '../../adapters/no-telemetry'
import { textOf } from '../../app/config/env-variable'
import { deploymentState, take, transactionsMined } from '../../deploying/deployment-chain'
import { type DeploymentFile, DeploymentFileError, readDeploymentFile } from '../../deploying/deployment-file'
import { differences } from '../../deploying/differences'
import { EventsUnread } from '../../deploying/event-history'
import { holderObjections } from '../../deploying/holders'
import { namedCodeObjections } from '../../deploying/named-code'
import { type ProductContracts, productContracts } from '../../deploying/product-contracts'
import { ofChain, type Step, stepsOf } from '../../deploying/steps'
import { unnamedPowers } from '../../deploying/unnamed-powers'
import { deploymentProxy } from '../../domain/chain/account'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { isPublished } from '../../domain/chain/deployment'
import { type Hex, sameAddress } from '../../domain/chain/hex'
import { Failure, messageOf } from '../terminal/failure'

export type Options = { file: string; chain?: ChainKey[] }
export type Work = { key: ChainKey; ask: Ask; file: DeploymentFile; contracts: ProductContracts }

const timeoutMs = 15_000

/**
 * Takes every step that is ready and whose key is present, on all chains in parallel, until none is left. It reads its
 * state from the chains alone, so it may be interrupted and rerun at any time.
 *
 * @returns 0 if no step is left that can be taken now, otherwise 1.
 */
export async function deploy(options: Options & { handOver?: boolean }): Promise<number> {
  const all = workOf(options)
  const keys = keysOf(process.env)
  await assureNoPublishedKeys(all)
  if (options.handOver) await assureHoldersAreThere(all)
  const ends = await Promise.all(all.map((work) => onChain(work, keys, options.handOver === true)))
  console.log(`\n${addressesOf(all[0]!)}`)
  return ends.every(Boolean) ? 0 : 1
}

/**
 * Reads back the contracts of every chain and compares them with the file.
 *
 * @returns 1 if anything differs or a node does not show all events, otherwise 0.
 */
export async function verify(options: Options): Promise<number> {
  const all = workOf(options)
  const objections = await holderObjections(all, all[0]!.file.liveHolders).catch(() => new Map<ChainKey, string[]>())
  const results = await Promise.all(
    all.map(async ({ key, ask, file, contracts }) => {
      const sentences = await differences(ask, key, file, contracts).catch((error) => [
        `${chains[key].name} cannot be read (${reasonOf(error)}).`,
      ])
      sentences.push(...(objections.get(key) ?? []))
      sentences.push(...(await namedCodeObjections(ask, key, file).catch(() => [])))
      const unnamed = await unnamedPowers(ask, key, file, contracts).catch((error) => {
        if (error instanceof EventsUnread) return null
        return [`The powers on ${chains[key].name} cannot be read (${reasonOf(error)}).`]
      })
      sentences.push(...(unnamed ?? []))
      if (!unnamed)
        console.log(`? ${chains[key].name}: its node does not show all events, so powers outside the file are unknown.`)
      for (const sentence of sentences) console.log(`✗ ${sentence}`)
      const isMatch = sentences.length === 0 && unnamed !== null
      if (isMatch) console.log(`✓ ${chains[key].name} matches the file.`)
      return isMatch
    }),
  )
  return results.every(Boolean) ? 0 : 1
}

/** Checks the live holders on every chain first: a role given to an address without code is lost. */
async function assureHoldersAreThere(all: readonly Work[]): Promise<void> {
  const objections = await holderObjections(all, all[0]!.file.liveHolders).catch((error) => {
    throw new Failure(`The live holders cannot be read on every chain (${reasonOf(error)}), so nothing was sent.`)
  })
  const sentences = [...objections.values()].flat()
  if (sentences.length > 0) throw new Failure(`Nothing was handed over. ${sentences.join(' ')}`)
}

/** Takes the steps of one chain. @returns whether no step is left that can be taken now. */
async function onChain(work: Work, keys: Keys, withHandOver: boolean): Promise<boolean> {
  const { key, ask } = work
  const { id, name } = chains[key]
  /** The votes that this run has sent, because the chain does not show them. */
  const voted = new Set<string>()
  try {
    for (;;) {
      // Transactions of an earlier run must show on the chain before the next step is chosen.
      for (const { address } of [keys.deployer ?? [], keys.holders].flat()) await transactionsMined(ask, address)
      const steps = await stepsNow(work)
      const next = steps.find(({ status }) => status !== 'DONE')
      if (!next) {
        console.log(`${name}: everything is done.`)
        return true
      }
      if (next.isHandOver && !withHandOver) {
        console.log(`${name}: everything but the handover is done: run "contracts handover" next.`)
        return true
      }
      if (!next.isHandOver && withHandOver) {
        console.log(`${name}: the handover comes last, and this step is missing: ${next.name}.`)
        return false
      }
      if (next.status === 'WAITS') {
        console.log(`${name}: ${next.name} is possible from ${dateOf(next.readyAt)}: run this again then.`)
        return false
      }
      const objections = sameAddress(next.to, deploymentProxy) ? await namedCodeObjections(ask, key, work.file) : []
      if (objections.length > 0) {
        console.log(
          `${name}: nothing more was sent, because the contracts would permanently name: ${objections.join(' ')}`,
        )
        return false
      }
      const sender = sendersOf(next, keys).find(({ address }) => !voted.has(`${next.name} ${address}`))
      if (!sender) {
        console.log(`${name}: ${requestOf(next, keys)}`)
        return false
      }
      const hash = await take(ask, id, next, sender)
      voted.add(`${next.name} ${sender.address}`)
      console.log(`${name}: ${next.name}, ${hash}`)
    }
  } catch (error) {
    console.log(`${name}: stopped here (${reasonOf(error)}). Run this again: it continues from the state of the chain.`)
    return false
  }
}

/**
 * Returns why a chain could not continue. The message of a failed connection might contain a URL, so only its code is
 * shown.
 */
export function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as { name?: string; message?: string; code?: string; cause?: unknown }
  if (name === 'StepFailed') return message!
  if (cause instanceof Error && cause.message === 'Node of another chain') return 'its node belongs to another chain'
  return code ?? 'the node refused'
}

const stepsNow = async ({ key, ask, file, contracts }: Work): Promise<Step[]> =>
  stepsOf(ofChain(file, key), contracts, await deploymentState(ask, contracts))

export type Keys = { deployer: PrivateKeyAccount | null; holders: PrivateKeyAccount[] }

export function keysOf(env: Record<string, string | undefined>): Keys {
  const account = (text: string): PrivateKeyAccount => {
    if (!/^0x[0-9a-fA-F]{64}$/.test(text))
      throw new Failure('DEPLOYER_PRIVATE_KEY and HOLDER_PRIVATE_KEYS must be private keys.')
    return privateKeyToAccount(text as Hex)
  }
  const listed = given(env, 'HOLDER_PRIVATE_KEYS')
    .split(',')
    .filter((each) => each.trim() !== '' && !/^\s*wss?:/i.test(each)) // those only push new blocks
  const deployer = given(env, 'DEPLOYER_PRIVATE_KEY')
  return { deployer: deployer ? account(deployer) : null, holders: listed.map((each) => account(each.trim())) }
}

/** Reads a variable, or the file that `<name>_FILE` names. */
function given(env: Record<string, string | undefined>, name: string): string {
  const value = textOf(env, name)
  if ('objection' in value) throw new Failure(`${value.objection.name} must be ${value.objection.expected}.`)
  return value.text
}

export function sendersOf({ by }: Step, { deployer, holders }: Keys): PrivateKeyAccount[] {
  if (by === null) return deployer ? [deployer] : []
  return holders.filter(({ address }) => by.some((each) => sameAddress(each, address)))
}

/**
 * Returns what a step needs: the key that pays, or the transaction that another holder, such as a multisig, has to
 * send.
 */
export function requestOf(step: Step, keys: Keys, between = ' and '): string {
  const { by, name } = step
  if (by === null) return `set DEPLOYER_PRIVATE_KEY, which pays to ${name}.`
  const own = sendersOf(step, keys)
  const others = by.filter((each) => !own.some(({ address }) => sameAddress(address, each)))
  return `another holder has to ${name}:\n  from ${others.join(between)}\n  to ${step.to}\n  value 0\n  data ${step.data}`
}

export const dateOf = (seconds: number | null): string =>
  seconds === null
    ? 'the step before it'
    : `${new Date(Math.ceil(seconds / 60) * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`

export function workOf({ file: path, chain }: Options): Work[] {
  const file = fileOf(path)
  const contracts = productContracts(file.settings)
  return (chain ?? chainKeys).map((key) => {
    const variable = `RPC_URL_${key.toUpperCase()}`
    const rpcUrls = given(process.env, variable)
      .split(',')
      .filter((each) => each.trim() !== '' && !/^\s*wss?:/i.test(each)) // those only push new blocks
    if (rpcUrls.length === 0) throw new Failure(`Set ${variable}, or choose other chains with --chain.`)
    const settings = { chainId: chains[key].id, rpcUrls, timeoutMs, isAnswer: () => false, telemetry: noTelemetry }
    return { key, ask: nodes(settings), file, contracts }
  })
}

function fileOf(path: string): DeploymentFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new Failure(`The deployment file ${path} cannot be read. docs/operations/contracts.md describes its content.`)
  }
  try {
    return readDeploymentFile(text)
  } catch (error) {
    throw error instanceof DeploymentFileError ? new Failure(messageOf(error)) : error
  }
}

/** On a public chain, a published key would give everything away. */
async function assureNoPublishedKeys(all: readonly Work[]): Promise<void> {
  const { settings, liveHolders } = all[0]!.file
  const named = [settings.holders, liveHolders].flatMap((holders) => Object.values(holders))
  const published = [...named, ...settings.relayers, ...settings.signers, ...settings.collectors].filter(isPublished)
  if (published.length === 0) return
  const clients = await Promise.all(all.map(({ ask }) => ask('web3_clientVersion', []).then(String)))
  if (clients.every((client) => client.startsWith('anvil/'))) return
  throw new Failure(`The keys of ${published.join(', ')} are published: create your own keys.`)
}

/** Lists the addresses: the deployed contracts, and the powers that should hold now. */
export function addressesOf({ key, file, contracts }: Work): string {
  const { collectors, relayers, signers } = file.wanted[key]
  return [
    'The variables of the service:',
    `ACCOUNT_REGISTRY_ADDRESS=${contracts.registry.address}`,
    `ROUTE_EXECUTOR_ADDRESS=${contracts.executor.address}`,
    `RECOVERY_EXECUTOR_ADDRESS=${contracts.recoveryExecutor.address}`,
    `BALANCE_LENS_ADDRESS=${contracts.lens.address}`,
    `FEE_COLLECTOR_ADDRESS=${collectors[0]}`,
    `RELAYER_ADDRESSES=${relayers.join(',')}`,
    `SIGNER_ADDRESSES=${signers.join(',')}`,
  ].join('\n')
}
