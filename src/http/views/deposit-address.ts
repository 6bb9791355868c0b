import type { Account } from '../../domain/chain/account'
import { chainIds, chainKeyOf, chains } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { isNative, type Token, type TokenList } from '../../domain/money/token'
import { view } from '../../domain/schema'
import type { Figures } from '../../ports/prices'
import { example } from './examples'
import { symbolOf, tidyName } from './find-token'
import {
  Address,
  AddressOrNull,
  AmountOrNull,
  ChainId,
  ChainKeyName,
  Count,
  described,
  Flag,
  Text,
  TextOrNull,
} from './scalar'
import { DurationView } from './token'

export const AcceptedView = view({
  fromChainId: ChainId('Chain on which it can be sent'),
  fromChainKey: ChainKeyName('Chain key'),
  fromTokenSymbol: Text('Symbol of the token', 'USDC'),
  fromTokenAddress: Address('The token; the zero address is the native coin', example.baseUsdc),
  fromTokenDecimals: Count('Token decimals', 6),
  acceptsDeposits: Flag('Whether it is currently routed', true),
  message: TextOrNull('Why it is not routed', null),
  minimumAmountIn: AmountOrNull(
    'Minimum amount that covers the current fees, in atomic units; null without an intent',
    '73728',
  ),
  expectedSeconds: described(DurationView.or('null'), 'From detection to delivery; null with under 20 samples'),
  paymentUri: Text(
    'EIP-681 without an amount: add `&uint256=<atomic>` (token) or `?value=<atomic>` (native)',
    `ethereum:${example.baseUsdc}@${chains.base.id}/transfer?address=${example.depositAddress}`,
  ),
})

/** The facts to show to a person about to send (extensions 5.3). */
export const DepositAddressView = view({
  userId: Text('Your stable identifier of the user', example.userId),
  depositAddress: Address('The address to send to', example.depositAddress),
  hasIntent: Flag('Whether the user has an intent', true),
  targetChainId: described(view.enumerated(...chainIds).or('null'), 'Destination chain', chains.arbitrum.id),
  targetChainKey: TextOrNull('Chain key', 'arbitrum'),
  targetTokenAddress: AddressOrNull('Destination token', example.arbitrumUsdc),
  targetTokenSymbol: TextOrNull('Token symbol', 'USDC'),
  targetAddress: AddressOrNull('Recipient', example.recipient),
  accepts: described(AcceptedView.array(), 'Tokens that can be sent, most useful first'),
  notices: described(view('string[]'), 'Notices to show to the sender', ['Send only on the chains listed.']),
})

const stable = /^(USDC|USDT|DAI|USDC\.E|USDBC|USDT0)$/i
export const listedOnlyNotice =
  'Send only on the chains listed. Tokens that are not listed do not arrive, and must be recovered by hand.'
export const noIntentNotice = 'Deposits are kept safe and wait until their destination is set.'

/** An address has code after its first use. From then on, a payment with exactly 21,000 gas fails. */
export const nativeGasNotice =
  'Sending native coin needs more than 21,000 gas once the address has been used: let the wallet estimate the gas.'

type AddressFacts = { tokens: TokenList; figures: Figures; sponsoredGas: boolean; aboutRecipient: readonly string[] }

export function depositAddressView(
  account: Account,
  intent: DepositIntent | null,
  { tokens, figures, sponsoredGas, aboutRecipient }: AddressFacts,
): typeof DepositAddressView.infer {
  const findToken = tokens.find.bind(tokens)
  const symbol = intent && symbolOf(findToken, intent.targetChainId, intent.targetTokenAddress)
  // A target token that is not listed has no figures of its own, but its chain has.
  const target = intent && findToken(intent.targetChainId, intent.targetTokenAddress)
  const to = target ? figures.ofToken(target) : intent && figures.ofChain(intent.targetChainId)
  const rank = (token: Token): number =>
    tidyName(token.symbol) === symbol ? 0 : stable.test(token.symbol) ? 1 : isNative(token.address) ? 2 : 3
  return {
    userId: account.userId,
    depositAddress: account.id,
    hasIntent: intent !== null,
    targetChainId: intent?.targetChainId ?? null,
    targetChainKey: intent && chainKeyOf(intent.targetChainId),
    targetTokenAddress: intent?.targetTokenAddress ?? null,
    targetTokenSymbol: symbol,
    targetAddress: intent?.targetAddress ?? null,
    accepts: tokens.all
      .toSorted((a, b) => rank(a) - rank(b))
      .map((token) => {
        const from = figures.ofToken(token)
        const acceptsDeposits = from.acceptsDeposits && to?.delivers !== false
        const minimum =
          intent && figures.minimumAmountIn(token, intent.targetChainId, intent.sponsoredGas || sponsoredGas)
        return {
          fromChainId: token.chainId,
          fromChainKey: chainKeyOf(token.chainId),
          fromTokenSymbol: tidyName(token.symbol),
          fromTokenAddress: token.address,
          fromTokenDecimals: token.decimals,
          acceptsDeposits,
          message: from.acceptsDeposits && !acceptsDeposits ? to!.message : from.message,
          minimumAmountIn: minimum?.toString() ?? null,
          expectedSeconds: intent && figures.expectedSeconds(token.chainId, intent.targetChainId),
          paymentUri: isNative(token.address)
            ? `ethereum:${account.id}@${token.chainId}`
            : `ethereum:${token.address}@${token.chainId}/transfer?address=${account.id}`,
        }
      }),
    notices: [listedOnlyNotice, nativeGasNotice, ...(intent ? aboutRecipient : [noIntentNotice])],
  }
}
