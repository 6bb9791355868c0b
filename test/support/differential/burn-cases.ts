import { concatHex, toHex } from 'viem'
import { type ChainId, chainIds, chains } from '../../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../../src/domain/chain/hex'
import { type Burn, depositForBurn, domainOf, wordOf } from '../../../src/protocols/cctp/burn'
import { usdcOf } from '../../../src/protocols/lifi/diamond'
import type { Demand } from '../../../src/signer/function-rule'
import { addressOf } from '../signable'
import type { Dice } from '../simulation/loop'
import type { RouteCase } from './route-cases'

const fromChainId = chains.base.id
const stranger = addressOf('a stranger')
const nobody: Hex = `0x${'0'.repeat(64)}`

/** Burns by Circle's bridge: valid burns, burns with a false value or for a different demand, and broken bytes. */
export function burnCases(dice: Dice, { account, time }: { account: Address; time: number }): () => RouteCase {
  const pick = <Value>(...values: readonly Value[]): Value => values[dice.below(values.length)]!
  const near = (value: bigint): bigint => pick(0n, 1n, value + 1n, value - 1n, value * 2n, 2n ** 255n)

  const demanded = (): Demand => {
    const toChainId: ChainId = pick(...chainIds.filter((id) => id !== fromChainId))
    const amount = 2n + BigInt(dice.below(1_000_000_000))
    const minOut = amount - BigInt(dice.below(100))
    const to = { toChainId, tokenOut: usdcOf(toChainId), recipient: addressOf('recipient') }
    const from = { account, fromChainId, token: usdcOf(fromChainId), amount }
    return { ...from, ...to, minOut: minOut > 0n ? minOut : 1n, nativeFee: 0n, time }
  }

  const lieIn = (burn: Burn, { amount, minOut }: Demand): Partial<Burn> =>
    pick<() => Partial<Burn>>(
      () => ({ amount: near(burn.amount) }),
      () => ({ destinationDomain: pick(...chainIds.map(domainOf), 2, 2 ** 32 - 1) }),
      () => ({ mintRecipient: pick(wordOf(stranger), nobody, `0x01${burn.mintRecipient.slice(4)}` as Hex) }),
      () => ({ burnToken: pick(stranger, zeroAddress, ...chainIds.map(usdcOf)) }),
      () => ({ destinationCaller: pick(wordOf(stranger), wordOf(account), `0x01${nobody.slice(4)}` as Hex) }),
      () => ({ maxFee: pick(amount - minOut + 1n, amount, 2n ** 256n - 1n) }),
      () => ({ minFinalityThreshold: pick(0, 500, 999, 1_001, 1_999, 2_001, 2 ** 32 - 1) }),
    )()

  const another = (demand: Demand): Partial<Demand> =>
    pick<() => Partial<Demand>>(
      () => ({ token: pick(zeroAddress, stranger) }),
      () => ({ amount: near(demand.amount) }),
      () => ({ toChainId: pick<number>(...chainIds, 10, 0) as ChainId }),
      () => ({ tokenOut: pick(zeroAddress, stranger, ...chainIds.map(usdcOf)) }),
      () => ({ recipient: pick(stranger, account) }),
      () => ({ minOut: near(demand.minOut) }),
      () => ({ nativeFee: 1n }),
    )()

  const broken = (data: Hex): Hex => {
    const at = 2 + 2 * dice.below(data.length / 2 - 1)
    return pick<() => Hex>(
      () => concatHex([data, pick<Hex>('0x00', nobody)]),
      () => data.slice(0, at) as Hex,
      () => `${data.slice(0, at)}${toHex(dice.below(256), { size: 1 }).slice(2)}${data.slice(at + 2)}` as Hex,
    )()
  }

  return () => {
    const demand = demanded()
    const { amount, minOut } = demand
    const burn: Burn = {
      amount,
      destinationDomain: domainOf(demand.toChainId),
      mintRecipient: wordOf(demand.recipient),
      burnToken: demand.token,
      destinationCaller: nobody,
      maxFee: pick(0n, amount - minOut),
      minFinalityThreshold: pick(1_000, 2_000),
    }
    const lie = dice.chance(0.4) ? lieIn(burn, demand) : {}
    const asked = dice.chance(0.2) ? { ...demand, ...another(demand) } : demand
    const data = depositForBurn({ ...burn, ...lie })
    return { data: dice.chance(0.15) ? broken(data) : data, demand: asked }
  }
}
