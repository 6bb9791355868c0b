import { type ChainStatus, chainStatusOf } from '../../deploying/chain-status'
import { chains } from '../../domain/chain/chain'
import { dateOf, type Options, reasonOf, workOf } from './contracts'

/**
 * Shows the state of every chain: what is deployed and in progress, what differs, who holds which role, and what is
 * pending and from when it can be applied. It sends nothing and needs no key.
 *
 * @returns 1 if a chain or its events cannot be read or it differs from the file, otherwise 0.
 */
export async function status(options: Options & { json?: boolean }): Promise<number> {
  const read = await Promise.all(
    workOf(options).map(async ({ key, ask, file, contracts }) =>
      chainStatusOf(ask, key, file, contracts).then(
        (state) => ({ ...state, trouble: null }),
        (error) => ({ chain: key, chainId: chains[key].id, trouble: reasonOf(error) }),
      ),
    ),
  )
  if (options.json) console.log(JSON.stringify({ chains: read }, null, 2))
  else
    for (const one of read)
      console.log(
        one.trouble === null
          ? linesOf(one as ChainStatus).join('\n')
          : `\n${chains[one.chain].name}: it cannot be read (${one.trouble}).`,
      )
  return read.every((one) => one.trouble === null && isMatch(one as ChainStatus)) ? 0 : 1
}

const isMatch = ({ differs, isHistoryRead }: ChainStatus): boolean => differs.length === 0 && isHistoryRead

const holderKinds = { LIVE: 'live', GENESIS: 'of the deployment', OTHER: 'unknown' } as const

function linesOf(state: ChainStatus): string[] {
  const { chain, contracts, modules, roles, isPaused, settings, steps, pending, differs, isHistoryRead } = state
  const deployed = contracts.filter(({ isDeployed }) => isDeployed)
  const installed = modules.filter(({ isInstalled }) => isInstalled).map(({ name }) => name)
  const [next] = steps
  const changes = settings.flatMap(({ name, is, wanted, next: step }) =>
    step ? [`  → ${name}: ${is}, to become ${wanted}: ${step.name}${whenOf(step)}${whoOf(step.by)}`] : [],
  )
  return [
    `\n${chains[chain].name}: ${deployed.length} of ${contracts.length} contracts are deployed${isPaused ? ', and it is PAUSED' : ''}`,
    `  modules: ${installed.join(' and ') || 'none'}`,
    ...roles.map(({ role, holder, is }) => `  ${role}: ${holder}, ${holderKinds[is]}`),
    ...(next ? [`  → ${steps.length} steps to come; next, ${next.name}${whenOf(next)}${whoOf(next.by)}`] : []),
    ...changes,
    ...(pending ?? []).map(
      ({ what, by, readyAt, until }) =>
        `  … ${what}: ${readyAt === null ? 'waits for another vote' : `from ${dateOf(readyAt)}`}, until ${dateOf(until)}${whoOf(by)}`,
    ),
    ...(pending ? [] : ['  ? its node does not show all events, so pending changes outside the file are unknown']),
    ...(pending === null || isHistoryRead
      ? []
      : ['  ? its node does not show all events, so powers outside the file are unknown']),
    ...differs.map((sentence) => `  ✗ ${sentence}`),
    ...(next || !isMatch(state) ? [] : ['  ✓ matches the file']),
  ]
}

const whenOf = ({ readyAt }: { readyAt: number | null }) => (readyAt === null ? '' : `, from ${dateOf(readyAt)}`)
const whoOf = (by: readonly string[] | null) => (by === null ? '' : `, by ${by.join(' or ') || 'the admin'}`)
