import { chains } from '../../domain/chain/chain'

const depositTxHash = '0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b'

const unsupportedToken = '0x00000000000000000000000000000000000000ee'

/** The values of all examples in the document: a USDC deposit on Base that is delivered on Arbitrum. */
export const example = {
  fromChainId: chains.base.id,
  toChainId: chains.arbitrum.id,
  userId: 'user-1',
  depositAddress: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C',
  recipient: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
  sender: '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9',
  bridge: '0x9F2079ab06Cfa943B47c781c2dba3dC5A14723Fa',
  baseUsdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  arbitrumUsdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  depositTxHash,
  depositId: `${chains.base.id}:${depositTxHash}:12`,
  unsupportedId: `${chains.base.id}:unsupported:0x25fa55d9f052cb3b815bb1e09504f9f448f2fa9c:${unsupportedToken}`,
  routeId: '0x304da940c769b8672196a9c1177a985dc19f1f14eeecd30157e09bec52980e9b',
  txHash: '0xecca78d742097757150508fff9c4c1fcd598c18b27b41c04876f6d0efa1f67af',
  destinationTxHash: '0x5c8f1f24e0ec6b1a1f5ad5e7f2f2df23e6cdb07bd75d4d3d7ed40ea2f39f8a10',
  receiptDigest: '0x95d5d16c6f30bb40bd0924ef7f40934df8439c3fe099672b2eb945904d8554f2',
  receiptSigner: '0xAe72A48c1a36bd18Af168541c53037965d26e4A8',
  receiptSignature:
    '0xd543606df0294fa338f17c266f02c1d27713ccde8af3ca8f9fb80231f295d53e50d7108a48d50a2fceb51f27c1ea4d942560e2e8d624cd36e185700fcb2aac1e1b',
  /**
   * The event of the eighth history entry, RUNNING. `eventId` makes the id from the number and the time of that entry.
   */
  eventId: 'evt_01M7YRSJYY0008WRK1GT14EE0Q',
  blacklistEntryId: `token:${chains.base.id}:0x0ed9a9e619b284aed8f6e5ab0a596efd5c9f5cf9`,
  registry: '0x7b479953F20e87812Ca17b1A473Ac8948ec9C4e3',
} as const
