import { getAddress, keccak256, stringToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { type Account, accountAddressOf, accountSaltOf, implementationAddressOf } from '../../src/domain/chain/account'
import { type ChainId, chains } from '../../src/domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import { type IntentSnapshot, withDepartures } from '../../src/domain/deposit/deposit-intent'
import { type Execution, newExecution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { defaultPolicy, routeIdOf } from '../../src/domain/execution/route'
import { splitDeposit } from '../../src/domain/money/fees'
import { lifiDiamond } from '../../src/protocols/lifi/diamond'
import { policySigner } from '../../src/signer/policy-signer'
import type { SignerSettings } from '../../src/signer/signing'
import { believing } from './appraisers'
import { acrossCall, swapCall } from './diamond-calldata'
import { anySeal, sealed } from './seals'

export const addressOf = (name: string): Address => getAddress(`0x${keccak256(stringToHex(name)).slice(-40)}`)

export const registry = addressOf('registry')
export const executor = addressOf('executor')
export const executors = { executor, recoveryExecutor: addressOf('recovery executor') }
export const collector = addressOf('collector')
export const recipient = addressOf('recipient')
export const tokens = { in: addressOf('token in'), out: addressOf('token out') }
const organizationSalt: Hash = keccak256(stringToHex('organization'))
export const accountSalt = accountSaltOf(organizationSalt, 'user')
const implementation = implementationAddressOf(registry)
export const account = accountAddressOf({ registry, implementation, accountSalt })
const stored = { id: account, version: 1, organizationId: 'org', userId: 'user', accountSalt } as Account

const privateKey = generatePrivateKey()
export const signerAddress = privateKeyToAccount(privateKey).address
/** Settings of the test signer. */
export const signerSettings: SignerSettings = {
  appraiser: believing,
  fee: async () => ({ feeCap: 10n ** 9n, tip: 1n }),
  seals: anySeal,
  key: memoryKey(privateKey),
  ...executors,
  registry,
  collector,
}

export const signerOf = (change: Partial<Parameters<typeof policySigner>[0]> = {}) =>
  policySigner({
    ...signerSettings,
    accounts: { load: async (id) => (id === account ? stored : null) },
    organizations: { load: async () => ({ id: 'org', salt: organizationSalt }) as never },
    ...change,
  })

type Parts = {
  chainId?: ChainId
  kind?: 'BRIDGE' | 'SWAP' | 'DIRECT'
  totalRaw?: bigint
  gasFeeRaw?: bigint
  protocolFeeBps?: number
  token?: Address
  tokenOut?: Address
}

/** Returns a record that is ready to sign, as the earlier steps leave it. */
export function signable(parts: Parts = {}): Execution {
  const { kind = 'BRIDGE', totalRaw = 25_000_000n, gasFeeRaw = 1_000n, protocolFeeBps = 100, token = tokens.in } = parts
  const chainId = parts.chainId ?? chains.base.id
  const toChainId = kind === 'BRIDGE' ? chains.arbitrum.id : chainId
  const tokenOut = kind === 'DIRECT' ? token : (parts.tokenOut ?? tokens.out)
  const split = splitDeposit({ totalReceivedRaw: totalRaw, protocolFeeBps, gasFeeRaw })
  const amount = split.amountForSwapRaw
  const minOut = kind === 'DIRECT' ? amount : (amount * 99n) / 100n
  const id = `${chainId}:${keccak256(stringToHex('deposit'))}:3`
  const intent = {
    version: 4,
    apiKeyId: 'key',
    targetChainId: toChainId,
    targetTokenAddress: tokenOut,
    targetAddress: recipient,
    protocolFeeBps,
    sponsoredGas: gasFeeRaw === 0n,
  }
  const deposit = {
    lane: laneId(account, chainId, token),
    account,
    chainId,
    token,
    symbol: 'T',
    decimals: 6,
    amountRaw: String(totalRaw),
    block: 9,
    txHash: keccak256('0x01'),
    logIndex: 3,
    fromAddress: null,
    detectedBy: [],
    detectedAt: 0,
  }
  const data = {
    BRIDGE: acrossCall({ account, token, amount, toChainId, tokenOut, recipient, minOut }),
    SWAP: swapCall({ token, amount, tokenOut, recipient, minOut }),
    DIRECT: null,
  }[kind]
  const spender = token === zeroAddress ? zeroAddress : lifiDiamond
  const route = {
    provider: 'lifi',
    kind,
    amountIn: String(amount),
    amountOutExpected: String(amount),
    amountOutMin: String(minOut),
    expectedSeconds: 5,
    hops: 1,
    slippageBps: 50,
    reference: null,
    quotedAt: 0,
    call: data && { target: lifiDiamond, spender, data, nativeFee: '0' },
  }
  const fees = {
    totalReceivedRaw: String(totalRaw),
    protocolFeeRaw: String(split.protocolFeeRaw),
    protocolFeeEffective: String(split.protocolFeeEffective),
    protocolFeeForgiven: String(split.protocolFeeForgiven),
    gasFeeRaw: String(gasFeeRaw),
    amountForSwapRaw: String(amount),
    gasFeeSkipReason: gasFeeRaw === 0n ? ('SPONSORED' as const) : ('NONE' as const),
  }
  const routeId = routeIdOf({ organizationId: 'org', userId: 'user', executionId: id, intent })
  const balance = { totalReceivedRaw: String(totalRaw), block: 9 }
  const record = newExecution({ id, organizationId: 'org', userId: 'user', deposit, machineVersion: '1' }, 0)
  return { ...record, facts: { intent, routeId, balance, policy: defaultPolicy, route, fees, gasLimit: '400000' } }
}

/** Returns the record with its intent sealed as by the API, and with the matching route id. */
export function sealedRecord(record: Execution): Execution {
  const intent = sealed(record, record.facts.intent!)
  const routeId = routeIdOf({ ...record, executionId: record.id, intent })
  return { ...record, facts: { ...record.facts, intent, routeId } }
}

export const refundAddress = addressOf('refunds')

/** Returns a refund from an operator's re-drive, of a token that only the RecoveryExecutor may move. */
export function refundRecord(change: Partial<IntentSnapshot> = {}): Execution {
  const first = signable({ kind: 'DIRECT', gasFeeRaw: 0n, protocolFeeBps: 0 })
  const { deposit } = first
  const said = { ...first.facts.intent!, protocolFeeBps: 100, sponsoredGas: false, refundAddress }
  const target = { targetChainId: chains.arbitrum.id, targetTokenAddress: tokens.out, targetAddress: recipient }
  const kept = sealed(first, { ...said, ...target })
  const back = { targetChainId: deposit.chainId, targetTokenAddress: deposit.token, targetAddress: refundAddress }
  const intent = { ...withDepartures(kept, { ...back, protocolFeeBps: 0 }), ...change }
  const [id, redriveOf] = [`${first.id}:r1`, first.id]
  const routeId = routeIdOf({ ...first, executionId: id, intent })
  const route = { ...first.facts.route!, provider: 'direct', kind: 'REFUND' as const }
  return { ...first, id, redriveOf, facts: { ...first.facts, intent, routeId, route } }
}
