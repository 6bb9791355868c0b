import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { createPublicClient, http, isAddressEqual, recoverAddress } from 'viem'
import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import {
  contradictionsIn,
  misformedIn,
  type ReceiptMessage,
  receiptDigest,
  receiptDomain,
  receiptFields,
  receiptTypes,
  type SignedReceipt,
} from '../../domain/execution/receipt'
import { jsonOf } from '../../domain/json'
import { whyNoAnswer } from '../client/reach'
import { readDevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import type { NodeUrls } from './commands'
import { deliveryFault, departureFault, depositFault, type Node } from './evidence'

type Options = { signer: Address[]; url?: string; online?: boolean; rpc: NodeUrls; timeout: number }

/**
 * Verifies a receipt in a file, and prints what is proven.
 *
 * @throws {Failure} naming the first part that is wrong.
 */
export async function verifyReceipt(file: string, { signer, url, online, rpc, timeout }: Options): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`${file} cannot be read.`)
  })
  const receipt = formedReceipt(parsed(text))
  if (signer.length === 0 && url === undefined)
    throw new Failure('Name a trusted signer: --signer with an address, or --url with the address of the service.')
  const published = url === undefined ? [] : await publishedSigners(url, timeout * 1_000)
  await assureSigned(receipt, [...signer, ...published])
  const { executionId, status, deposit } = receipt.message
  console.log(`${executionId} ended in ${status}: signed by ${receipt.signer}, unchanged.`)
  if (!online) return
  for (const line of await assureOnChains(receipt.message, (chainId) => nodeOf(chainId, rpc, timeout * 1_000)))
    console.log(line)
  if (deposit.txHash.length === 0) console.log('A balance sweep found the deposit, so no transaction shows it.')
}

/** Returns a line for each part of the receipt that a chain confirms. */
export async function assureOnChains(
  message: ReceiptMessage,
  nodeOf: (chainId: ChainId) => Promise<Node>,
): Promise<string[]> {
  const { deposit, spent, delivered } = message
  const parts = [
    ...deposit.txHash.map((hash) => ['deposit', deposit.chainId, hash, depositFault] as const),
    ...spent.map(({ chainId, txHash }) => ['spending', chainId, txHash, departureFault] as const),
    ...delivered.map(({ chainId, txHash }) => ['delivery', chainId, txHash, deliveryFault] as const),
  ]
  const lines: string[] = []
  for (const [what, chainId, hash, faultOf] of parts) {
    const chain = chainKeyOf(chainId)
    const node = await nodeOf(chainId)
    const fault = await faultOf(message, node).catch((error) => {
      throw new Failure(`The node of ${chain} gave no usable answer: ${firstLine(error)}`)
    })
    if (fault) throw new Failure(`${chain} does not show the ${what}. ${fault}`)
    lines.push(`${chain} shows the ${what} in ${hash}.`)
  }
  return lines
}

const firstLine = (error: unknown): string => String((error as Error).message ?? error).split('\n')[0]!

/** Refuses a repeated field, because programs read it differently. */
function parsed(text: string): unknown {
  const value = jsonOf(text)
  if (value === undefined) throw new Failure('The file is not JSON.')
  const plain = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  if (JSON.stringify(value) === plain) return value
  throw new Failure('The file can be read in two ways: it repeats a field, or writes a value in an unusual form.')
}

/** Returns the addresses that a service publishes as its signers. TLS proves the identity of the service. */
async function publishedSigners(url: string, timeoutMs: number): Promise<Address[]> {
  const place = `${url.replace(/\/$/, '')}/.well-known/receipt-signers`
  const response = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch((cause) => {
    throw new Failure(`${place} cannot be reached: ${whyNoAnswer(cause)}.`)
  })
  const answer = (await response.json().catch(() => null)) as { signers?: { address?: unknown }[] } | null
  const addresses = Array.isArray(answer?.signers) ? answer.signers.map(({ address }) => address) : []
  const isAddress = (text: unknown): text is Address => typeof text === 'string' && /^0x[0-9a-fA-F]{40}$/.test(text)
  if (!response.ok || !addresses.every(isAddress)) throw new Failure(`${place} publishes no signers of receipts.`)
  return addresses as Address[]
}

/** Returns a node of a chain after checking its chain id. */
async function nodeOf(chainId: ChainId, rpc: NodeUrls, timeout: number): Promise<Node> {
  const key = chainKeyOf(chainId)
  const listed = process.env[`RPC_URL_${key.toUpperCase()}`]?.split(',').find((url) => /^https?:/i.test(url.trim()))
  const url = rpc[key] ?? listed?.trim() ?? demoNode(chainId)
  if (!url) throw new Failure(`Name a node of ${key}: --rpc ${key}=https://… or RPC_URL_${key.toUpperCase()}.`)
  const client = createPublicClient({ transport: http(url, { timeout }) })
  const id = await client.getChainId().catch((error) => {
    throw new Failure(`The node of ${key} gave no usable answer: ${firstLine(error)}`)
  })
  if (id !== chainId) throw new Failure(`The node of ${key} belongs to chain ${id}, not to ${chainId}.`)
  return client
}

function demoNode(chainId: ChainId): string | null {
  try {
    return readDevnetFile().chains[chainId].rpcUrl
  } catch {
    return null
  }
}

/** Half of the order of secp256k1. A signature has a twin with another s; only the one with the smaller s counts. */
const lowestHalf = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Whether a text is a signature in its only spelling. */
const isSignature = (text: unknown): text is SignedReceipt['signature'] =>
  typeof text === 'string' && /^0x[0-9a-f]{128}1[bc]$/.test(text) && BigInt(`0x${text.slice(66, 130)}`) <= lowestHalf

/**
 * Returns a parsed file as a receipt. Every field must have its form, and no field may be outside the signed message
 * and its proof.
 *
 * @throws {Failure} naming the first field that is wrong.
 */
export function formedReceipt(parsed: unknown): SignedReceipt {
  const named = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>
  const extra = Object.keys(named).find((name) => !receiptFields.some((field) => field === name))
  const { domain, types, primaryType, message, digest, signer, signature } = named
  const checks: [boolean, string | null][] = [
    [extra !== undefined, extra ?? null],
    [!isDeepStrictEqual(domain, receiptDomain), 'domain'],
    [!isDeepStrictEqual(types, receiptTypes), 'types'],
    [primaryType !== 'Receipt', 'primaryType'],
    [misformedIn(message) !== null, misformedIn(message)],
    [misformedIn(digest, 'bytes32') !== null, 'digest'],
    [misformedIn(signer, 'address') !== null, 'signer'],
    [!isSignature(signature), 'signature'],
  ]
  const field = checks.find(([isWrong]) => isWrong)?.[1]
  if (field) throw new Failure(`This is not a receipt of version ${receiptDomain.version}: ${field} is wrong.`)
  return named as SignedReceipt
}

/**
 * Checks digest, signature and signer of a receipt, without a node.
 *
 * @throws {Failure} naming the first part that is wrong.
 */
export async function assureSigned(receipt: SignedReceipt, signers: readonly Address[]): Promise<void> {
  const { message, digest, signer, signature } = receipt
  if (receiptDigest(message) !== digest)
    throw new Failure('The digest does not match the message: a field was changed.')
  const recovered = await recoverAddress({ hash: digest, signature }).catch(() => null)
  if (!recovered || !isAddressEqual(recovered, signer)) throw new Failure(`The signature is not by ${signer}.`)
  if (!signers.some((trusted) => isAddressEqual(trusted, signer)))
    throw new Failure(`${signer} signed this, which is not among the trusted signers: ${signers.join(', ') || 'none'}.`)
  const contradictions = contradictionsIn(message)
  if (contradictions.length > 0) throw new Failure(`The receipt contradicts itself. ${contradictions.join(' ')}`)
}
