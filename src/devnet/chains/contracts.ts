import { productContracts } from '../../deploying/product-contracts'
import { chains } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { lifiDiamond } from '../../protocols/lifi/diamond'
import { accounts } from './accounts'
import { hasCap, tokens } from './tokens'

/** LI.FI's Diamond has this address on all five chains, and so does its stand-in. */
export const bridgeAddress: Address = lifiDiamond
export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** The address of Polygon's native coin as a token. */
export const nativeAliasAddress: Address = chains.polygon.native.tokenAddress
export const gasPriceOracleAddress: Address = '0x420000000000000000000000000000000000000F'

const limit = 2n ** 112n - 1n
const maxNativeFeeWei = 10n ** 18n

/** The product's contracts as the devnet deploys them. */
export const devnetContracts = () =>
  productContracts({
    holders: {
      admin: accounts.admin.address,
      guardian: accounts.guardian.address,
      recovery: accounts.recovery.address,
    },
    relayers: accounts.relayers.map(({ address }) => address),
    signers: [accounts.routeSigner.address],
    collectors: [accounts.collector.address],
    relaySolver: accounts.relaySolver.address,
    caps: [...new Set([zeroAddress, ...tokens.filter(hasCap).map(({ address }) => address)])].map((token) => ({
      token,
      limit,
    })),
    maxNativeFeeWei,
  })
