import type { PrivateKeyAccount } from 'viem/accounts'
import { decodeFunctionResult, encodeFunctionData, formatEther } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { asAmount, asBytes, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { deploymentProxy } from '../domain/chain/account'
import type { ChainId } from '../domain/chain/chain'
import { type Address, type Hash, type Hex, zeroAddress } from '../domain/chain/hex'
import type { ProductContracts } from './product-contracts'
import type { DeploymentState, Step } from './steps'

const pollMs = 250
const minedWithinMs = 180_000
/** Gas limit as a percentage of the estimate, because estimates may be short. */
export const gasMarginPercent = 120n

/** Reads the progress of a deployment on a chain, at its newest block. */
export async function deploymentState(ask: Ask, contracts: ProductContracts): Promise<DeploymentState> {
  const { registry, lens, guards, executor, recoveryExecutor } = contracts
  const latest = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
  const block = toQuantity(asNumber(latest['number']))
  const places = [
    deploymentProxy,
    ...[registry, lens, ...Object.values(guards), executor, recoveryExecutor].map(({ address }) => address),
  ]
  const codes = await Promise.all(places.map((place) => ask('eth_getCode', [place, block])))
  if (asBytes(codes[0]) === '0x')
    throw new StepFailed(
      `There is no deployment proxy at ${deploymentProxy}. Deploy it first, as its authors describe.`,
    )
  const hasCode = new Map(places.map((place, n) => [place.toLowerCase(), asBytes(codes[n]) !== '0x']))
  const call = async (to: Address, data: Hex) => asBytes(await ask('eth_call', [{ to, data }, block]))
  const ofRegistry = async (functionName: 'holder' | 'pendingModule' | 'isExecutor', args: readonly unknown[]) => {
    const question = { abi: accountRegistryAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0]
    const data = await call(registry.address, encodeFunctionData(question))
    return decodeFunctionResult({ ...question, data } as Parameters<typeof decodeFunctionResult>[0]) as unknown
  }
  const hasRegistry = hasCode.get(registry.address.toLowerCase()) === true
  const [admin, guardian, recovery] = hasRegistry
    ? ((await Promise.all([0n, 1n, 2n].map((role) => ofRegistry('holder', [role])))) as Address[])
    : []
  const moduleAt = async (address: Address) => {
    const args = [address]
    const pending = hasRegistry ? ((await ofRegistry('pendingModule', args)) as readonly unknown[]) : null
    const isInstalled = hasRegistry && (await ofRegistry('isExecutor', args)) === true
    return { isInstalled, readyAt: pending ? Number(pending[1]) : 0 }
  }
  const hasExecutor = hasCode.get(executor.address.toLowerCase()) === true
  return {
    hasCode,
    holders: admin && guardian && recovery ? { admin, guardian, recovery } : null,
    modules: { executor: await moduleAt(executor.address), recovery: await moduleAt(recoveryExecutor.address) },
    nativeCap: hasExecutor ? await nativeCapOf(call, executor.address) : null,
    time: asNumber(latest['timestamp']),
  }
}

async function nativeCapOf(call: (to: Address, data: Hex) => Promise<Hex>, executor: Address): Promise<bigint> {
  const question = { abi: routeExecutorAbi, functionName: 'capOf', args: [zeroAddress] } as const
  const [, limit] = decodeFunctionResult({ ...question, data: await call(executor, encodeFunctionData(question)) })
  return limit
}

/** A step that failed. Running the command again continues from the state on the chain. */
class StepFailed extends Error {
  override name = 'StepFailed'
}

/**
 * Waits until the chain has mined the earlier transactions of a key: an interrupted run may have left some under way.
 */
export async function transactionsMined(ask: Ask, sender: Address): Promise<void> {
  for (const until = performance.now() + minedWithinMs; performance.now() < until; await Bun.sleep(pollMs)) {
    const [mined, pending] = await Promise.all(
      ['latest', 'pending'].map(async (tag) => asNumber(await ask('eth_getTransactionCount', [sender, tag]))),
    )
    if (mined! >= pending!) return
  }
  throw new StepFailed(`A transaction that ${sender} sent earlier is not mined. Wait for it, or replace it.`)
}

/** Sends the transaction of a step and waits until it is mined. */
export async function take(
  ask: Ask,
  chainId: ChainId,
  { name, to, data }: Step,
  from: PrivateKeyAccount,
): Promise<Hash> {
  const [nonce, block, tip, balance] = await Promise.all([
    ask('eth_getTransactionCount', [from.address, 'latest']).then(asNumber),
    ask('eth_getBlockByNumber', ['latest', false]).then(asObject),
    ask('eth_maxPriorityFeePerGas', []).then(asAmount),
    ask('eth_getBalance', [from.address, 'latest']).then(asAmount),
  ])
  const maxFeePerGas = 2n * asAmount(block['baseFeePerGas'] ?? '0x0') + tip
  const estimated = await ask('eth_estimateGas', [{ from: from.address, to, data }]).then(asAmount)
  const gas = (estimated * gasMarginPercent) / 100n
  if (balance < gas * maxFeePerGas)
    throw new StepFailed(
      `${from.address} has ${formatEther(balance)} coin on this chain and needs about ${formatEther(gas * maxFeePerGas)} to ${name}`,
    )
  const bytes = await from.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to,
    data,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas: tip,
  })
  const hash = (await ask('eth_sendRawTransaction', [bytes])) as Hash
  for (const until = performance.now() + minedWithinMs; performance.now() < until; await Bun.sleep(pollMs)) {
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status?: unknown } | null
    if (receipt === null) continue
    if (receipt.status === '0x1') return hash
    throw new StepFailed(`The transaction ${hash} to ${name} failed.`)
  }
  throw new StepFailed(`The transaction ${hash} to ${name} is not mined yet. Run the command again.`)
}
