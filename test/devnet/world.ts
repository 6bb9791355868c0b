import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, keccak256, stringToHex, toHex, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { accountAddressOf, accountSaltOf, implementationAddressOf } from '../../src/domain/chain/account'
import { type ChainId, type ChainKey, chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'

export type World = Devnet & { end(): Promise<void> }

export async function startWorld(webhookUrl?: string): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-devnet-'))
  const devnet = await startDevnet({ dir, ...(webhookUrl ? { webhookUrl } : {}) })
  const end = async () => {
    await devnet.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  return { ...devnet, end }
}

/** A new deposit account. */
export function newAccount({ contracts: { registry } }: Devnet): { accountSalt: Hex; address: Address } {
  const accountSalt = accountSaltOf(keccak256(stringToHex('an organization')), crypto.randomUUID())
  return {
    accountSalt,
    address: accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt }),
  }
}

export const newAddress = (): Address => {
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  return toHex(bytes)
}

export type QuoteBody = {
  status?: string
  code?: number
  message?: string
  estimate: { toAmount: string; toAmountMin: string; approvalAddress: Address }
  transactionRequest: { to: Address; data: Hex; value: Hex; chainId: number }
}

export async function getQuote(
  devnet: Devnet,
  query: Record<string, string | number>,
): Promise<{ status: number; body: QuoteBody }> {
  const text = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, `${value}`]))
  const response = await fetch(`${devnet.lifiUrl}/quote?${new URLSearchParams(text)}`)
  return { status: response.status, body: (await response.json()) as QuoteBody }
}

export const statusOf = async (
  devnet: Devnet,
  txHash: Hex,
): Promise<Record<string, string> & { receiving: { txHash: Hex; amount: string } }> =>
  (await fetch(`${devnet.lifiUrl}/status?txHash=${txHash}`)).json() as never

type RouteOptions = {
  from: ChainKey
  token: string
  to: ChainKey
  toToken: string
  amount: bigint
  recipient: Address
  /** The bridge that the route must take. */
  via?: string
}

/** Routes a deposit as the service does: quotes, signs, and sends. @returns the hash and the quote's promise. */
export async function route(devnet: Devnet, options: RouteOptions, account = newAccount(devnet)) {
  const { from, token, to, toToken, amount, recipient, via = 'all' } = options
  const [chainId, toChainId]: ChainId[] = [chains[from].id, chains[to].id]
  const hash = await devnet.sendDeposit({ chainKey: from, token, amountRaw: amount, to: account.address })
  await devnet.waitForReceipt(from, hash)
  const fee = amount / 100n
  const tokenIn = tokenOf(chainId!, token)!.address
  const tokenOut = tokenOf(toChainId!, toToken)!.address
  const { status, body } = await getQuote(devnet, {
    fromChain: chainId!,
    toChain: toChainId!,
    fromToken: tokenIn,
    toToken: tokenOut,
    fromAddress: account.address,
    toAddress: recipient,
    fromAmount: `${amount - fee}`,
    allowBridges: via,
  })
  if (status !== 200) throw new Error(`No quote: ${JSON.stringify(body)}`)
  const nativeFee = BigInt(body.transactionRequest.value) - (tokenIn === zeroAddress ? amount - fee : 0n)
  const { txHash, receipt } = await execute(devnet, from, {
    accountSalt: account.accountSalt,
    kind: from === to ? 2 : 3,
    token: tokenIn,
    amountIn: amount,
    protocolFee: fee,
    intent: { toChainId: BigInt(toChainId!), tokenOut, recipient, minOut: BigInt(body.estimate.toAmountMin) },
    target: body.transactionRequest.to,
    spender: tokenIn === zeroAddress ? zeroAddress : body.estimate.approvalAddress,
    nativeFee,
    data: body.transactionRequest.data,
  })
  return { account: account.address, txHash, receipt, promised: BigInt(body.estimate.toAmount), fee }
}

/** Signs an order as the service does, and sends it. */
export async function execute(
  devnet: Devnet,
  from: ChainKey,
  terms: {
    accountSalt: Hex
    kind: number
    token: Address
    amountIn: bigint
    protocolFee: bigint
    intent: { toChainId: bigint; tokenOut: Address; recipient: Address; minOut: bigint }
    target: Address
    spender: Address
    nativeFee: bigint
    data: Hex
  },
) {
  const order = {
    ...terms,
    routeId: keccak256(stringToHex(crypto.randomUUID())),
    minSpent: terms.amountIn,
    gasFee: 0n,
    collector: devnet.keys.collector,
    minGas: 0n,
    deadline: BigInt(Math.floor(Date.now() / 1000) + 600),
  }
  const domain = { name: 'Switchyard', version: '1', chainId: chains[from].id }
  const signature = await privateKeyToAccount(devnet.keys.routeSigner).signTypedData({
    domain: { ...domain, verifyingContract: devnet.contracts.executor },
    types: orderTypes,
    primaryType: 'Order',
    message: order,
  })
  const data = encodeFunctionData({ abi: routeExecutorAbi, functionName: 'execute', args: [order, signature] })
  const txHash = await relay(devnet, from, devnet.contracts.executor, data, terms.nativeFee)
  return { txHash, receipt: await devnet.waitForReceipt(from, txHash) }
}

/** Sends a call with a relayer's key. */
export async function relay(devnet: Devnet, key: ChainKey, to: Address, data: Hex, value = 0n): Promise<Hex> {
  const relayer = privateKeyToAccount(devnet.keys.relayers[0]!)
  const rpc = new Rpc(devnet.chains[chains[key].id].rpcUrl)
  const nonce = Number(await rpc.ask('eth_getTransactionCount', relayer.address, 'pending'))
  const fees = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n, gas: 1_500_000n }
  const transaction = { ...fees, nonce, data, value, to, chainId: chains[key].id }
  return rpc.ask('eth_sendRawTransaction', await relayer.signTransaction(transaction))
}

const orderTypes = {
  Intent: [
    { name: 'toChainId', type: 'uint256' },
    { name: 'tokenOut', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'minOut', type: 'uint256' },
  ],
  Order: [
    { name: 'routeId', type: 'bytes32' },
    { name: 'accountSalt', type: 'bytes32' },
    { name: 'kind', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'minSpent', type: 'uint256' },
    { name: 'protocolFee', type: 'uint256' },
    { name: 'gasFee', type: 'uint256' },
    { name: 'collector', type: 'address' },
    { name: 'intent', type: 'Intent' },
    { name: 'target', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'nativeFee', type: 'uint256' },
    { name: 'minGas', type: 'uint256' },
    { name: 'deadline', type: 'uint64' },
    { name: 'data', type: 'bytes' },
  ],
} as const

export const signature = (key: string, body: string): string =>
  createHmac('sha256', key).update(body, 'utf8').digest('hex')
