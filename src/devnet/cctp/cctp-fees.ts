import { chainKeys, chains } from '../../domain/chain/chain'

/** Circle's fees in thousandths of a basis point, as it published them in 2026. Only a fast transfer has a fee. */
export function fees(sourceDomain: number): { fast: number; standard: number } {
  const key = chainKeys.find((each) => chains[each].cctpDomain === sourceDomain)
  const fast = !key || !chains[key].cctpFast ? 0 : key === 'ethereum' ? 1_000 : 1_300
  return { fast, standard: 0 }
}

/** The fee on an amount, from a rate in thousandths of a basis point. At least one unit, unless the rate is 0. */
export function feeOf(amount: bigint, thousandths: number): bigint {
  const fee = (amount * BigInt(thousandths)) / 10_000_000n
  return thousandths > 0 && fee === 0n ? 1n : fee
}
