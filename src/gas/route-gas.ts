import { aged } from '../domain/aged'
import { BoundedMap } from '../domain/bounded-map'
import { chainOf } from '../domain/chain/chain'
import { zeroAddress } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Execution } from '../domain/execution/execution'
import { mintGasOf } from '../domain/execution/provider'
import { waitedMs } from '../domain/execution/retry'
import { isPayment } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { coversCost, gasFeeOf, splitDeposit } from '../domain/money/fees'
import { costOfKind, isMeasured, likeOf, type MeasuredGas } from '../domain/money/gas'
import { assetOf } from '../domain/money/token'
import type { Chains } from '../ports/chain-client'
import type { Semaphores } from '../ports/limits'
import type { GasBooks, Prices } from '../ports/prices'

type Ports = {
  chains: Chains
  gasBooks: GasBooks
  quoting: { prices: Pick<Prices, 'usd'>; aggregators: readonly { name: string }[] }
  /** Lets one deposit at a time measure a kind of route. If absent, deposits do not wait for each other. */
  semaphores?: Semaphores
  now: () => number
}

/**
 * Largest difference between the fee in the quote and the measured fee, in basis points. The buffer of 20 % is then
 * between 14 % and 26 %.
 */
const toleranceBps = 500n
/**
 * A difference up to this part of the deposit is not worth another quote, however small the fee, provided the fee
 * covers the cost of gas. For a large deposit, this part may exceed the gas.
 */
const dustPart = 100_000n
const deployedMax = 20_000
const turnsMax = 1_000
/** An account is deployed by its first route, and the next one follows within seconds. */
const notDeployedMs = 1_000
/** How long deposits wait for the measurement of another deposit, and the longest total wait of a deposit. */
const measuringMs = 3_000

type Place = Pick<Execution['deposit'], 'chainId' | 'account'>
export type RouteGas = ReturnType<typeof routeGas>

/**
 * Estimates the gas of a route before its quote is requested, from measured routes of the same kind. The first quote
 * can then be for the amount left after gas, which saves a second quote.
 */
export function routeGas(ports: Ports) {
  const { chains, gasBooks, quoting, semaphores, now } = ports
  const deployed = aged(({ chainId, account }: Place) => chains[chainId].isDeployed(account), {
    ...{ now, forMs: (isDeployed) => (isDeployed ? Number.POSITIVE_INFINITY : notDeployedMs), from: 'START' },
    ...{ keyOf: ({ chainId, account }) => `${chainId} ${account}`, most: deployedMax },
  })
  /** The permits to measure that deposits of this process hold. */
  const turns = new BoundedMap<string, string>(turnsMax)

  /** The first route of an account also deploys the account, and each fee adds a transfer. */
  async function kindBy({ deposit, facts }: Execution): Promise<(provider: string) => string> {
    const { targetChainId, targetTokenAddress, protocolFeeBps } = facts.intent!
    const how = `${(await deployed.get(deposit)) ? 'later' : 'first'} ${protocolFeeBps > 0 ? 'fee' : 'free'}`
    return (provider) => `${deposit.token} ${how} by ${provider} to ${targetChainId}:${targetTokenAddress}`
  }
  /** Lets the next deposit measure. If the release fails, the permit expires within seconds. */
  async function endTurn(id: string): Promise<void> {
    const turn = turns.get(id)
    if (turn === undefined) return
    turns.delete(id)
    await semaphores?.release(turn, id).catch(() => {})
  }
  async function kindsOf(execution: Execution) {
    const kindOf = await kindBy(execution)
    return quoting.aggregators.map(({ name }) => ({ name, kind: kindOf(name) }))
  }

  return {
    /**
     * Whether to request quotes now. False while another deposit, on any worker, measures routes like this one, to any
     * destination. Deposits that arrive together would otherwise each need two requests. It only saves requests, as
     * `amounts` does.
     */
    async mayAsk(execution: Execution): Promise<boolean> {
      if (!semaphores || isFreeOfGas(execution)) return true
      if (waitedMs(execution, 'PROVIDER', now) >= measuringMs) return true
      const { id, deposit } = execution
      try {
        const [book, kinds] = await Promise.all([gasBooks.read(deposit.chainId), kindsOf(execution)])
        if (kinds.some(({ kind }) => isMeasured(book, kind, now()))) return true
        const turn = `gas ${deposit.chainId} ${likeOf(kinds[0]!.kind)}`
        const isMine = await semaphores.acquire(turn, { holder: id, most: 1, until: now() + measuringMs })
        if (!isMine) return false
        turns.set(id, turn)
        await gasBooks.read(deposit.chainId, 0) // a previous deposit may just have measured, maybe in another process
        return true
      } catch {
        return true
      }
    },

    /**
     * Returns the amount to request from each provider; 0 or less if its gas takes the whole deposit. The map is empty
     * if no route like this was measured recently, or if every provider's gas takes all. It only saves requests, so a
     * failure also returns an empty map.
     */
    async amounts(execution: Execution): Promise<ReadonlyMap<string, bigint>> {
      if (isFreeOfGas(execution)) return new Map()
      const { facts } = execution
      const { protocolFeeBps } = facts.intent!
      const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
      const amountWith = (gasFeeRaw: bigint) =>
        splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw }).amountForSwapRaw
      try {
        const fees = await feesOf(execution, kindsOf, ports)
        const all = fees.map(({ provider, feeRaw }) => [provider, amountWith(feeRaw)] as const)
        return new Map(all.some(([, amount]) => amount > 0n) ? all : [])
      } catch {
        return new Map()
      }
    },

    charged: chargedFee,

    /** Stores the gas that a route takes. Returns it, with the earlier gas figures of the chain. */
    async note(execution: Execution, gas: bigint, costWei: bigint) {
      const { chainId } = execution.deposit
      const { provider, kind: how } = execution.facts.route!
      const [kind, weiPerGas] = await Promise.all([
        // A direct route needs no provider, and it takes half the gas of other routes.
        isPayment(how)
          ? null
          : kindBy(execution).then(
              (kindOf) => kindOf(provider),
              () => null,
            ),
        chains[chainId].fee().then(weiPerGasOf, () => null),
      ])
      const hasExtra = chainOf(chainId).l1DataFee !== null
      const beyond = weiPerGas === null ? 0n : costWei - gas * weiPerGas
      const nativeFee = amountOf(execution.facts.route!.call?.nativeFee ?? '0')
      const extraWei = (hasExtra && beyond > 0n ? beyond : 0n) + nativeFee
      const measured: MeasuredGas = { kind: weiPerGas === null ? null : kind, gas, costWei, extraWei }
      const book = await gasBooks.note(chainId, measured)
      await endTurn(execution.id)
      return { measured, book }
    },

    /** The same for the mint on the destination chain; null if the provider delivers. */
    noteMint: (execution: Execution) => noteMintGas(execution, ports),
  }
}

/** The gas fee used for the quote, if it is close enough to the measured fee; else the measured fee. */
function chargedFee({ facts }: Execution, measuredRaw: bigint): bigint {
  const totalReceivedRaw = amountOf(facts.balance!.totalReceivedRaw)
  const { protocolFeeBps } = facts.intent!
  const { protocolFeeRaw } = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw: 0n })
  const amountIn = amountOf(facts.route!.amountIn)
  const quotedRaw = totalReceivedRaw - protocolFeeRaw - amountIn
  const apart = quotedRaw > measuredRaw ? quotedRaw - measuredRaw : measuredRaw - quotedRaw
  const isDust = apart * dustPart <= totalReceivedRaw && coversCost(quotedRaw, measuredRaw)
  const isNear = apart * 10_000n <= measuredRaw * toleranceBps || isDust
  return quotedRaw > 0n && isNear ? quotedRaw : measuredRaw
}

/** Returns the gas fee of each provider's route, by its measured kinds; empty if nothing like it was measured. */
async function feesOf(
  execution: Execution,
  kindsOf: (execution: Execution) => Promise<{ name: string; kind: string }[]>,
  { chains, gasBooks, quoting, now }: Ports,
): Promise<{ provider: string; feeRaw: bigint }[]> {
  const { chainId, token, decimals } = execution.deposit
  const book = await gasBooks.read(chainId)
  const mints = quoting.aggregators.some(({ name }) => mintsFor(name, execution))
  if (book.kinds.length === 0 && !mints) return []
  const { prices } = quoting
  const [fee, nativeUsd, tokenUsd, kinds] = await Promise.all([
    chains[chainId].fee(),
    prices.usd(chainId, zeroAddress),
    prices.usd(chainId, token),
    kindsOf(execution),
  ])
  const costs = await Promise.all(
    kinds.map(async ({ name, kind }) => ({
      name,
      wei: costOfKind(book, kind, weiPerGasOf(fee), now()),
      // A provider whose mint cost is unknown gets no request: its offer would seem to give more.
      mintWei: await mintCostWei(name, execution, { chains, quoting }).catch(() => null),
    })),
  )
  const measured = costs.flatMap(({ wei }) => (wei === null ? [] : [wei]))
  if (measured.length === 0 && !mints) return []
  // A provider without measured routes gets as small an amount as any other provider. Otherwise its offer would seem
  // to give more. The cost of its mint is added, on any chain.
  const most = measured.reduce((one, other) => (one > other ? one : other), 0n)
  return costs.map(({ name, wei, mintWei }) => {
    if (mintWei === null) return { provider: name, feeRaw: amountOf(execution.facts.balance!.totalReceivedRaw) }
    const costWei = (wei ?? most) + mintWei
    return { provider: name, feeRaw: gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals: decimals! }) }
  })
}

async function noteMintGas({ facts }: Execution, { chains, gasBooks }: Ports) {
  const gas = mintGasOf(facts.route!.provider)
  if (gas === 0n) return null
  const { targetChainId } = facts.intent!
  const costWei = gas * weiPerGasOf(await chains[targetChainId].fee())
  const measured: MeasuredGas = { kind: null, gas, costWei, extraWei: 0n }
  return { measured, book: await gasBooks.note(targetChainId, measured) }
}

/** Whether no gas is deducted from the amount that providers quote. */
function isFreeOfGas({ deposit, facts }: Execution): boolean {
  const { sponsoredGas, targetChainId, targetTokenAddress } = facts.intent!
  return sponsoredGas || (deposit.chainId === targetChainId && deposit.token === targetTokenAddress)
}

/** Price of a unit of gas in the next block: a fee's cap is twice its base fee, and the tip. */
const weiPerGasOf = ({ feeCap, tip }: Fee): bigint => (feeCap + tip) / 2n

/** Whether a provider could leave the mint of this deposit to us: the same asset is wanted on another chain. */
function mintsFor(provider: string, { deposit, facts }: Pick<Execution, 'deposit' | 'facts'>): boolean {
  const { targetChainId, targetTokenAddress } = facts.intent!
  const [paid, wanted] = [assetOf(deposit.chainId, deposit.token), assetOf(targetChainId, targetTokenAddress)]
  return mintGasOf(provider) > 0n && deposit.chainId !== targetChainId && paid !== null && paid.name === wanted?.name
}

/**
 * Returns the current cost of minting a route's burn on the destination chain, in wei of the source chain, rounded up;
 * 0 if the provider delivers.
 */
export async function mintCostWei(
  provider: string,
  { deposit, facts }: Pick<Execution, 'deposit' | 'facts'>,
  { chains, quoting }: Pick<Ports, 'chains' | 'quoting'>,
): Promise<bigint> {
  if (!mintsFor(provider, { deposit, facts })) return 0n
  const gas = mintGasOf(provider)
  const { targetChainId } = facts.intent!
  const [fee, usdThere, usdHere] = await Promise.all([
    chains[targetChainId].fee(),
    quoting.prices.usd(targetChainId, zeroAddress),
    quoting.prices.usd(deposit.chainId, zeroAddress),
  ])
  return (gas * weiPerGasOf(fee) * usdThere + usdHere - 1n) / usdHere
}
