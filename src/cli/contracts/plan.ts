import { formatEther } from 'viem'
import { asAmount, asObject } from '../../adapters/evm/rpc/answers'
import { deploymentState, gasMarginPercent } from '../../deploying/deployment-chain'
import { relayerObjections } from '../../deploying/holders'
import { namedCodeObjections } from '../../deploying/named-code'
import { simulateDeployment } from '../../deploying/simulation'
import { ofChain, type Step, stepsOf } from '../../deploying/steps'
import { chains } from '../../domain/chain/chain'
import { addressesOf, dateOf, type Options, reasonOf, type Work, workOf } from './contracts'

const signs: Record<Step['status'], string> = { DONE: '✓', READY: '→', WAITS: ' ' }

/**
 * Simulates the remaining steps on every chain, and shows each with its cost. Sends nothing.
 *
 * @returns 1 if a chain cannot be read, a step would fail, a relayer delegates to other code, or something that the
 * file names is missing. Otherwise 0.
 */
export async function plan(options: Options): Promise<number> {
  let isGood = true
  for (const work of workOf(options)) {
    const { name } = chains[work.key]
    const made = await planOf(work).catch((error) => ({
      isGood: false,
      lines: [`\n${name}: it cannot be read (${reasonOf(error)}).`],
    }))
    isGood &&= made.isGood
    console.log(made.lines.join('\n'))
  }
  console.log(`\n${addressesOf(workOf(options)[0]!)}`)
  return isGood ? 0 : 1
}

async function planOf({ key, ask, file, contracts }: Work): Promise<{ isGood: boolean; lines: string[] }> {
  const state = await deploymentState(ask, contracts)
  const steps = stepsOf(ofChain(file, key), contracts, state)
  const holders = state.holders ?? file.settings.holders
  const played = await simulateDeployment(ask, steps, { time: state.time, holders })
  const objections = [
    ...(await namedCodeObjections(ask, key, file)),
    ...(await relayerObjections({ key, ask }, file.wanted[key].relayers)),
  ]
  const failing = steps.find((step) => played?.get(step)?.isGood === false)
  const reason = (failing && played?.get(failing)?.why) ?? 'without a reason'
  const lineOf = (step: Step): string => {
    const { status, name, readyAt } = step
    const wait = readyAt === null ? '' : `, from ${dateOf(readyAt)}`
    const gas = status === 'DONE' ? '' : ` (${gasOf(step, played)} gas)`
    return step === failing
      ? `  ✗ ${name}: it would fail (${reason}), and the steps after it were not fully simulated`
      : `  ${signs[status]} ${name}${wait}${gas}`
  }
  const how = played ? 'as simulated by its node' : 'estimated by size: its node cannot simulate (eth_simulateV1)'
  const cost = await costOf({ key, ask }, steps, played)
  const lines = [
    `\n${chains[key].name}: ${cost}, ${how}`,
    ...steps.map(lineOf),
    ...objections.map((each) => `  ✗ ${each}`),
  ]
  return { isGood: !failing && objections.length === 0, lines }
}

/**
 * Returns the balance that the remaining steps need: twice the current price, which is the most that a transaction
 * offers.
 */
async function costOf(
  { key, ask }: Pick<Work, 'key' | 'ask'>,
  steps: readonly Step[],
  played: Played,
): Promise<string> {
  const block = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
  const price = 2n * asAmount(block['baseFeePerGas'] ?? '0x0') + asAmount(await ask('eth_maxPriorityFeePerGas', []))
  const coinFor = (some: readonly Step[]) => {
    const gas = some.filter(({ status }) => status !== 'DONE').reduce((sum, step) => sum + gasOf(step, played), 0n)
    return `${Number(formatEther(gas * price)).toPrecision(3)} ${chains[key].native.symbol}`
  }
  const ofAnybody = steps.filter(({ by }) => by === null)
  const ofHolders = steps.filter(({ by }) => by !== null)
  return `the deployer needs about ${coinFor(ofAnybody)} and the holders ${coinFor(ofHolders)}`
}

type Played = Awaited<ReturnType<typeof simulateDeployment>>

/** Includes the margin that sending adds. Without a simulation, the estimate is on the high side. */
function gasOf(step: Step, played: Played): bigint {
  const simulated = played?.get(step)
  if (simulated?.isGood) return (simulated.gas * gasMarginPercent) / 100n
  const bytes = BigInt(step.data.length / 2 - 1)
  return step.by === null ? 100_000n + 450n * bytes : 150_000n
}
