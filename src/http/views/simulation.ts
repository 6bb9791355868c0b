import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { defaultPolicy } from '../../domain/execution/route'
import { amountOfNoToken } from '../../domain/money/amount'
import { gasFeeSkipReasons } from '../../domain/money/fees'
import { type, view } from '../../domain/schema'
import { AddressForm } from './address-parameter'
import { example } from './examples'
import { type FindToken, symbolOf } from './find-token'
import { PolicyView } from './policy'
import { Address, Amount, ChainId, ChainKeyName, described, Flag, Text, UserId } from './scalar'

const positive = type(/^[1-9][0-9]{0,77}$/).describe('a positive amount in atomic units, decimal digits only')

export const SimulationRequest = type({
  userId: UserId,
  fromChainId: ChainId('Source chain'),
  fromTokenSymbol: described(
    type(/^[^\p{Cc}\p{Cs}\uFFFD]{1,32}$/u).describe('the symbol of a token on the source chain'),
    'Symbol of the token that would be sent',
    'USDC',
  ),
  amountInAtomic: described(
    positive.narrow(
      (text, context) => BigInt(text) < amountOfNoToken || context.mustBe('an amount that a token can have'),
    ),
    'Amount, in atomic units',
    '25000000',
  ),
  'overrideTargetChainId?': ChainId('Another destination chain, for this simulation only', chains.arbitrum.id),
  'overrideTargetTokenAddress?': AddressForm('Another destination token', example.arbitrumUsdc),
  'overrideTargetAddress?': AddressForm('Another recipient', example.recipient),
})
export type SimulationRequest = typeof SimulationRequest.infer

/** The route of a simulated deposit (interface 2.7; decision 13). */
export const SimulationView = view({
  userId: Text('Your stable identifier of the user', example.userId),
  hasIntent: Flag('Whether the user has a stored intent', true),
  fromChainId: ChainId('Source chain'),
  fromChainKey: ChainKeyName('Chain key'),
  fromTokenSymbol: Text('Symbol of the token', 'USDC'),
  amountInAtomic: Amount('Amount that would be sent', '25000000'),
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetChainKey: ChainKeyName('Chain key', 'arbitrum'),
  targetTokenSymbol: Text('Symbol of the destination token', 'USDC'),
  targetAddress: Address('Recipient', example.recipient),
  amountOutExpectedAtomic: Amount('Expected output after all fees', '24831711'),
  gasFeeRaw: Amount('Gas fee, in the deposited token', '18432'),
  gasFeeSkipReason: described(type.enumerated(...gasFeeSkipReasons), 'Why no gas would be charged', 'NONE'),
  amountForSwapAtomic: Amount('Amount that would enter the swap', '24856568'),
  provider: Text('Provider that would route it', 'lifi'),
  policy: described(PolicyView, 'The limits for the route'),
})

export function simulationView(
  { userId, deposit, facts }: Execution,
  hasIntent: boolean,
  findToken: FindToken,
): typeof SimulationView.infer {
  const { intent, route, fees } = facts
  const { targetChainId, targetTokenAddress, targetAddress } = intent!
  return {
    userId,
    hasIntent,
    fromChainId: deposit.chainId,
    fromChainKey: chainKeyOf(deposit.chainId),
    fromTokenSymbol: deposit.symbol,
    amountInAtomic: deposit.amountRaw,
    targetChainId,
    targetChainKey: chainKeyOf(targetChainId),
    targetTokenSymbol: symbolOf(findToken, targetChainId, targetTokenAddress),
    targetAddress,
    amountOutExpectedAtomic: route!.amountOutExpected,
    gasFeeRaw: fees!.gasFeeRaw,
    gasFeeSkipReason: fees!.gasFeeSkipReason,
    amountForSwapAtomic: fees!.amountForSwapRaw,
    provider: route!.provider,
    policy: facts.policy ?? defaultPolicy,
  }
}

export const simulationExample: typeof SimulationView.infer = {
  userId: example.userId,
  hasIntent: true,
  fromChainId: chains.base.id,
  fromChainKey: 'base',
  fromTokenSymbol: 'USDC',
  amountInAtomic: '25000000',
  targetChainId: chains.arbitrum.id,
  targetChainKey: 'arbitrum',
  targetTokenSymbol: 'USDC',
  targetAddress: example.recipient,
  amountOutExpectedAtomic: '24831711',
  gasFeeRaw: '18432',
  gasFeeSkipReason: 'NONE',
  amountForSwapAtomic: '24856568',
  provider: 'lifi',
  policy: defaultPolicy,
}
