import { readFileSync } from 'node:fs'
import { take } from '../../deploying/deployment-chain'
import {
  objectionTo,
  type RecoveryAct,
  type RecoveryState,
  recoveryActs,
  recoveryState,
  recoveryStep,
} from '../../deploying/recoveries'
import { assureAccount, type RecoveryFile, RecoveryFileError, readRecoveryFile } from '../../deploying/recovery-file'
import { chains } from '../../domain/chain/chain'
import { zeroAddress } from '../../domain/chain/hex'
import { Failure } from '../terminal/failure'
import { dateOf, keysOf, type Options, reasonOf, requestOf, sendersOf, type Work, workOf } from './contracts'

type RecoveryOptions = Options & Partial<Record<RecoveryAct, boolean>>

/**
 * Shows a recovery by two holders and takes one step of it: with a holder's key, or by printing what a multisig has to
 * send. Approvals are read from the chain, so each holder may run it on a separate machine.
 *
 * @returns 0 if the requested step is done, otherwise 1.
 */
export async function recover(path: string, options: RecoveryOptions): Promise<number> {
  const chosen = recoveryActs.filter((act) => options[act])
  if (chosen.length > 1) throw new Failure('Choose one of --approve, --withdraw, --veto and --carry-out.')
  const file = said(() => readRecoveryFile(textOf(path)))
  const work = workOf({ ...options, chain: [file.chain] })[0]!
  said(() => assureAccount(file, work.contracts.registry.address))
  const [act] = chosen
  try {
    const state = await recoveryState(work.ask, file.recovery, work.contracts)
    console.log(linesOf(file, state).join('\n'))
    return act ? await taken(act, { file, state, work }) : 0
  } catch (error) {
    console.log(
      `${chains[file.chain].name}: stopped here (${reasonOf(error)}). Run this again: it continues from the state of the chain.`,
    )
    return 1
  }
}

type Taking = { file: RecoveryFile; state: RecoveryState; work: Work }

async function taken(act: RecoveryAct, { file, state, work }: Taking): Promise<number> {
  const objection = objectionTo(act, state)
  if (objection) {
    console.log(objection)
    return 1
  }
  const step = recoveryStep(act, file.recovery, state, work.contracts.recoveryExecutor.address)
  if (step.status === 'WAITS') {
    console.log(`It can be carried out from ${dateOf(step.readyAt)}.`)
    return 1
  }
  const keys = keysOf(process.env)
  const [sender] = sendersOf(step, keys)
  if (!sender) {
    console.log(requestOf(step, keys, ' or '))
    return 1
  }
  const hash = await take(work.ask, chains[file.chain].id, step, sender)
  console.log(`${step.name}, by ${sender.address}: ${hash}`)
  return 0
}

const kindNames = ['', 'token', 'NFT', 'multi-token']

function linesOf({ chain, account, deposit, recovery }: RecoveryFile, state: RecoveryState): string[] {
  const { asset, amount, id, kind, to } = recovery
  const coin = chains[chain].native.symbol
  const thing = asset === zeroAddress ? `atomic units of ${coin}` : `of the ${kindNames[kind]} ${asset}`
  const what = [amount > 0n ? `${amount} ${thing}` : thing, ...(kind > 1 ? [`id ${id}`] : [])].join(', ')
  return [
    `${chains[chain].name}: recovery ${state.id}`,
    `  ${what}`,
    `  from ${account} to ${to}, for ${deposit}`,
    ...state.approvals.map(({ role, address, approvedAt }) =>
      approvedAt === null
        ? `    ${role} ${address} has not approved`
        : `  ✓ ${role} ${address} approved on ${dateOf(approvedAt)}`,
    ),
    `  ${nextActionText(state)}`,
  ]
}

/** Returns who can act next, and when. */
function nextActionText(state: RecoveryState): string {
  if (state.isDone) return 'It was carried out.'
  const objection = objectionTo('carryOut', state)
  if (objection) return objection
  const { from, until } = state.open!
  const times = `from ${dateOf(from)} until ${dateOf(until)}`
  return `Any holder may carry it out ${times}; until then, the guardian or the admin may veto it.`
}

/** Turns an invalid recovery file into a failure with one sentence. */
function said<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof RecoveryFileError ? new Failure(error.message) : error
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Failure(`The recovery file ${path} cannot be read. docs/operations/contracts.md describes its content.`)
  }
}
