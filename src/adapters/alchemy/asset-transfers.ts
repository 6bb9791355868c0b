import type { Alchemy, AssetTransfersResponse } from 'alchemy-sdk'
import type { Address, Hash } from '../../domain/chain/hex'
import type { AssetTransfers } from '../../ports/detection'

const timeoutMs = 10_000
const pageMax = 1_000
const categories = ['external', 'internal', 'erc20'] as const

/** Reads `alchemy_getAssetTransfers` of one chain through the SDK. */
export function assetTransfers(url: string): AssetTransfers {
  let loading: Promise<Alchemy> | null = null
  /** Whether the chain supports internal transfers, assumed until the first refusal. */
  let isInternalSupported = true

  const loaded = () => {
    const settings = { url, maxRetries: 2, connectionInfoOverrides: { timeout: timeoutMs } }
    loading ??= import('alchemy-sdk').then(({ Alchemy }) => new Alchemy(settings))
    return loading
  }

  async function page(address: Address, fromBlock: number, pageKey?: string): Promise<AssetTransfersResponse> {
    const { core } = await loaded()
    const named = categories.filter((category) => isInternalSupported || category !== 'internal')
    return core.getAssetTransfers({
      fromBlock: `0x${fromBlock.toString(16)}`,
      toBlock: 'latest',
      toAddress: address,
      category: [...named] as never,
      excludeZeroValue: true,
      order: 'asc' as never,
      maxCount: pageMax,
      ...(pageKey && { pageKey }),
    })
  }

  return {
    async *to(address, fromBlock) {
      let pageKey: string | undefined
      do {
        let read: AssetTransfersResponse
        try {
          read = await page(address, fromBlock, pageKey)
        } catch (error) {
          if (!isInternalSupported || !/categor/i.test(String(error))) throw error
          isInternalSupported = false
          read = await page(address, fromBlock, pageKey)
        }
        yield read.transfers.flatMap(({ hash, category }) =>
          /^0x[0-9a-fA-F]{64}$/.test(hash)
            ? [{ hash: hash.toLowerCase() as Hash, isNative: category === 'external' || category === 'internal' }]
            : [],
        )
        pageKey = read.pageKey
      } while (pageKey)
    },
  }
}
