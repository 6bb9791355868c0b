import { createPublicClient, formatUnits, http } from 'viem'
import { chains } from '../src/domain/chain/chain'
import type { Hash } from '../src/domain/chain/hex'
import type { Execution } from '../src/domain/execution/execution'
import { type ProviderKey, providerKeys, providerName } from '../src/domain/execution/provider'
import { carried } from './deposits'
import { onRig, type Rig } from './rig'

const [from, to] = ['base', 'arbitrum'] as const
const amountRaw = 1_000_000_000n

/**
 * Sends a deposit of 1,000 USDC and then the same again for the same user, through each provider while the others have
 * no route. Prints the cost and time of each.
 */
export const providers = (): Promise<string[]> =>
  onRig(
    async (rig) => {
      const lines: string[] = []
      for (const provider of providerKeys) {
        await only(rig, provider)
        const account = await rig.newUser(`by-${provider}`, to)
        for (const which of ['first', 'later'])
          for (const execution of await carried(rig, [{ chainKey: from, account, amountRaw }]))
            lines.push(`${which} deposit by ${await told(rig, execution, provider)}`)
      }
      return lines
    },
    {},
    { cctp: true },
  )

/** Circle has no route while its API does not respond, and the others when they say so. */
async function only({ installation: { devnet } }: Rig, provider: ProviderKey): Promise<void> {
  for (const other of providerKeys) {
    const fault = other === 'cctp' ? 'DOWN' : 'NO_ROUTE'
    const change = other === provider ? { method: 'DELETE' } : { method: 'PUT', body: JSON.stringify({ fault }) }
    const { ok } = await fetch(`${devnet.controlUrl}/faults/${other}`, change)
    if (!ok) throw new Error(`No fault ${fault} of ${other}`)
  }
}

async function told({ installation: { devnet } }: Rig, { status, facts }: Execution, asked: ProviderKey) {
  const { route, fees, spent, delivery, mint } = facts
  if (status !== 'SUCCESS' || route!.provider !== asked)
    throw new Error(`It ended in ${status}, by ${route?.provider} instead of ${asked}`)
  const gasOf = async (chainKey: typeof from | typeof to, hash: Hash): Promise<string> => {
    const node = createPublicClient({ transport: http(devnet.chains[chains[chainKey].id].rpcUrl) })
    return (await node.getTransactionReceipt({ hash })).gasUsed.toLocaleString('en')
  }
  const [routed, arrived] = [BigInt(fees!.amountForSwapRaw), BigInt(delivery!.amountRaw)]
  const kept = (Number(((routed - arrived) * 1_000_000n) / routed) / 100).toFixed(1)
  const minted = mint ? `, ${await gasOf(to, delivery!.hash)} gas of our mint on ${to}` : ''
  return (
    `${providerName(asked)}: ${await gasOf(from, spent!.hash)} gas on ${from}${minted}; charged for gas ` +
    `${formatUnits(BigInt(fees!.gasFeeRaw), 6)} USDC; it keeps ${kept} basis points; ` +
    `delivered ${formatUnits(arrived, 6)} USDC of 1,000`
  )
}
