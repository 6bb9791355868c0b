import type { Address } from '../../domain/chain/hex'

/** LI.FI's Diamond has one address on all five chains. */
export const lifiDiamond: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
