import { tokenOf } from '../../devnet/chains/tokens'
import { chains } from '../../domain/chain/chain'
import { Api } from '../client/api'
import type { Installation } from '../installation/installation'
import { recipientOf } from './demo-deposits'

/** One user for each way a deposit can fail, with the deposit to send. */
const rows = [
  { userId: 'grace', token: 'SY-FLAKY', amountRaw: 25_000_000n },
  { userId: 'heidi', token: 'SY-REVERT', amountRaw: 25_000_000n },
  { userId: 'ivan', token: 'SY-SCAM', amountRaw: 25_000_000n },
  { userId: 'judy', token: 'SY-NOROUTE', amountRaw: 25_000_000n },
  { userId: 'kim', token: 'SY-WEIRD', amountRaw: 25_000_000n },
  { userId: 'leo', token: 'SY-GHOST', amountRaw: 25_000_000n },
  { userId: 'mallory', token: 'USDC', amountRaw: 1n },
] as const

/** Sends deposits that fail or wait, to show more than successes in the dashboard. It does not wait for them. */
export async function sendFailures({ apiUrl, keys, devnet }: Installation): Promise<void> {
  const api = new Api(apiUrl, keys.client)
  for (const { userId, token, amountRaw } of rows) {
    const { depositAddress } = await api.createIntent({
      userId,
      targetChainId: chains.arbitrum.id,
      targetTokenAddress: tokenOf(chains.arbitrum.id, 'USDC')!.address,
      targetAddress: recipientOf(userId),
    })
    await devnet.sendDeposit({ chainKey: 'base', token, amountRaw, to: depositAddress })
  }
  // This deposit ends in QUOTA_EXCEEDED, as an example for the organization without a quota.
  const quotaApi = new Api(apiUrl, keys.quota)
  const { depositAddress } = (await quotaApi.findIntent('sandbox-user')) ?? {}
  if (depositAddress)
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
}
