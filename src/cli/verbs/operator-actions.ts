import { isChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { providerStateOf } from '../../domain/execution/provider'
import { tokenAddressOf } from '../../domain/money/token'
import type { ProviderView } from '../../http/operator/operator-reads'
import type { OverdueView } from '../../http/operator/overdue'
import { type Ask, operatorApi, reasonQuery } from '../client/operator-api'
import { pathPart } from '../client/reach'
import { Failure } from '../terminal/failure'
import { amountText } from '../terminal/funds-text'
import { table, tableOr } from '../terminal/table'

type Reasoned = { reason: string }
type Redriven = { id: string; redriveOf: string; amountIn: string }
type Acted = { id: string; status: string; next: { message: string } }

const ask: Ask = (method, path, body) => operatorApi()(method, path, body)

export async function retry(id: string, { reason }: Reasoned): Promise<void> {
  await ask('POST', `executions/${pathPart(id)}/retry`, { reason })
  console.log(`${id}: the next attempt starts now`)
}

type SeqOption = Reasoned & { seq?: number }

/** Ends the execution permanently. */
export async function deadLetter(id: string, { reason, seq }: SeqOption): Promise<void> {
  const seen = await readSubject(id)
  showSubject(seen, `state ${seen.seq}`)
  const body = { reason, seq: seq ?? seen.seq }
  const { status, next } = await ask<Acted>('POST', `executions/${pathPart(id)}/dead-letter`, body)
  console.log(`${id} is ${status}. ${next.message}`)
}

/** Approves a minimum output. The response gives the next step, even if the execution has ended in the meantime. */
export async function approve(id: string, { reason, amountOutMin, seq }: SeqOption & { amountOutMin: string }) {
  const seen = await readSubject(id)
  showSubject(seen, `pays ${payeeOf(seen.intent)}, state ${seen.seq}`)
  const body = { reason, amountOutMin, seq: seq ?? seen.seq }
  const { next } = await ask<Acted>('POST', `executions/${pathPart(id)}/approve`, body)
  console.log(`${id}: ${amountOutMin} atomic units or more approved. ${next.message}`)
}

type Intent = { version: number; targetAddress: string; targetChainKey: string }
type CurrentIntent = Intent & { refundAddress: string | null }

/**
 * The object of an action, which its command reads first. A service of an earlier release returns no `currentIntent`.
 * An execution that is not shown yet is read as its deposit, without an intent.
 */
type Subject = {
  id: string
  seq: number
  amountIn: string
  fromTokenSymbol: string
  fromTokenDecimals: number | null
  intent?: Intent | null
  currentIntent?: CurrentIntent | null
}

async function readSubject(id: string): Promise<Subject> {
  const read = (list: string) => ask<Subject>('GET', `/${list}/${pathPart(id)}`)
  return read('executions').catch((error) => {
    if (error instanceof Failure && error.code === 'EXECUTION_NOT_FOUND') return read('deposits')
    throw error
  })
}

function showSubject({ id, amountIn, fromTokenSymbol, fromTokenDecimals }: Subject, more: string): void {
  console.log(`${id}: ${amountText(amountIn, fromTokenDecimals, fromTokenSymbol)}, ${more}`)
}

const payeeOf = (intent: Intent | null | undefined): string =>
  intent
    ? `${intent.targetAddress} on ${intent.targetChainKey}, by intent version ${intent.version}`
    : 'an unknown recipient'

/** The version of the user's intent that the person saw, which names the recipient. */
type IntentVersionOption = { intentVersion?: number }

/** Returns the intent's version from the option. Without one, returns the version that the command printed. */
const versionIn = ({ intentVersion }: IntentVersionOption, current: CurrentIntent | null | undefined) => {
  const version = intentVersion ?? current?.version
  return version === undefined ? {} : { intentVersion: version }
}

export async function redrive(
  id: string,
  { reason, intent, ...seen }: Reasoned & IntentVersionOption & { intent: string },
): Promise<void> {
  const subject = await readSubject(id)
  const { intent: original, currentIntent } = subject
  showSubject(subject, `pays ${payeeOf((intent === 'original' && original) || currentIntent)}`)
  const body = { reason, intent: intent.toUpperCase(), ...versionIn(seen, currentIntent) }
  const made = await ask<Redriven>('POST', `executions/${pathPart(id)}/redrive`, body)
  console.log(`${made.id} routes ${made.amountIn} atomic units again, in place of ${made.redriveOf}`)
}

export async function refund(id: string, { reason, ...seen }: Reasoned & IntentVersionOption): Promise<void> {
  const subject = await readSubject(id)
  const { currentIntent } = subject
  const payee =
    currentIntent && `${currentIntent.refundAddress ?? 'no address'}, by intent version ${currentIntent.version}`
  showSubject(subject, `refunds ${payee ?? 'an unknown address'}`)
  const body = { reason, ...versionIn(seen, currentIntent) }
  const made = await ask<Redriven>('POST', `executions/${pathPart(id)}/refund`, body)
  console.log(`${made.id} refunds ${made.amountIn} atomic units to the refund address, in place of ${made.redriveOf}`)
}

/** `seen` is the version that a list showed. Without it, the version that the command reads right before it acts. */
type VersionOption = Reasoned & { seen?: string }

/** The query of a DELETE. A service of an earlier release shows no version and checks none. */
const endingQuery = ({ reason, seen }: VersionOption, current: { version?: string } | undefined): string => {
  const version = seen ?? current?.version
  return reasonQuery(reason) + (version === undefined ? '' : `&version=${encodeURIComponent(version)}`)
}

type Pause = {
  scope: string
  isOwn?: boolean
  version?: string
  organizationId?: string
  until: string | null
  createdAt: string
  reason: string
}

/** Describes a scope. The organization of the scope `organization` depends on the key. */
function scopeText(scope: string, organization: string | undefined): string {
  if (scope !== 'organization') {
    if (organization) throw new Failure('--organization is only for the scope "organization".')
    return scope
  }
  if (process.env['SWITCHYARD_API_KEY']) return 'the organization of SWITCHYARD_API_KEY'
  if (organization) return `the organization ${organization}`
  throw new Failure('Name the organization, for example with --organization sandbox.')
}

/** Returns a scope as the service shows it, in lower case. Every name of a chain's coin is the same token. */
function storedScope(scope: string): string {
  const [kind, chain, address] = scope.toLowerCase().split(':')
  const chainId = Number(chain)
  if (kind !== 'token' || !isChainId(chainId)) return scope.toLowerCase()
  return `${kind}:${chain}:${tokenAddressOf(chainId, address as Address).toLowerCase()}`
}

type Scoped = Reasoned & { organization?: string }

/**
 * Returns the pause of a scope that is in force. The platform's key also reads other organizations' own pauses. A
 * service of an earlier release does not tell them apart.
 */
const pauseInForce = async (request: Ask, scope: string): Promise<Pause | undefined> =>
  (await request<Pause[]>('GET', 'pauses')).find(
    (each) => each.scope.toLowerCase() === storedScope(scope) && (scope !== 'organization' || each.isOwn !== false),
  )

/** Begins a pause. One that is in force is replaced only by its version, which shows that the person has seen it. */
export async function pause(scope: string, how: Scoped & VersionOption & { until?: string }): Promise<void> {
  const { reason, until = null, organization, seen } = how
  const scopeName = scopeText(scope, organization)
  const request = operatorApi(organization)
  const current = seen === undefined ? await pauseInForce(request, scope) : undefined
  if (current)
    throw new Failure(
      `${scopeName} has been paused since ${current.createdAt}, ${untilText(current)}, because: ${current.reason}. ` +
        `To replace that pause, add --seen ${current.version ?? 0}.`,
    )
  const body = { reason, until, version: seen ?? null }
  const created = await request<Pause>('PUT', `pauses/${pathPart(scope)}`, body)
  console.log(`Paused: ${scopeName}, ${untilText(created)}`)
}

const untilText = ({ until }: Pause): string => (until ? `until ${until}` : 'until it is resumed')

export async function resume(scope: string, { organization, ...how }: Scoped & VersionOption): Promise<void> {
  const scopeName = scopeText(scope, organization)
  const request = operatorApi(organization)
  const paused = await pauseInForce(request, scope)
  await request('DELETE', `pauses/${pathPart(scope)}?${endingQuery(how, paused)}`)
  console.log(paused ? `Resumed: ${scopeName}, paused because: ${paused.reason}` : `It was not paused: ${scopeName}`)
}

export async function pauses(): Promise<void> {
  const rows = (await ask<Pause[]>('GET', 'pauses')).map((pause) => [
    pause.scope,
    pause.version ?? '',
    pause.isOwn ? 'your own' : (pause.organizationId ?? ''),
    pause.createdAt,
    pause.until ?? '',
    pause.reason,
  ])
  console.log(tableOr('Nothing is paused.', ['scope', 'version', 'organization', 'since', 'until', 'reason'], rows))
}

type Entry = { id: string; version?: string; listedAs: string; source: string; reason: string }
type ListingOptions = VersionOption & { kind: string; chain?: number; as: string; expires?: string }

/** An existing entry is replaced only by its version, which shows that the person has seen it. */
export async function list(address: string, { kind, chain, as, expires, reason, seen }: ListingOptions): Promise<void> {
  const what = { kind: kind.toUpperCase(), chainId: chain ?? null, address, listedAs: as.toUpperCase() }
  const body = { ...what, reason, expiresAt: expires ?? null, ...(seen !== undefined && { version: seen }) }
  const { id, listedAs } = await ask<Entry>('POST', 'blacklist', body)
  console.log(`${id} is listed as ${listedAs}`)
}

export async function unlist(id: string, how: VersionOption): Promise<void> {
  const listed = how.seen === undefined ? await entryOf(id) : undefined
  await ask('DELETE', `blacklist/${pathPart(id)}?${endingQuery(how, listed)}`)
  console.log(`${id} is no longer listed${listed ? ` as ${listed.listedAs}, because: ${listed.reason}` : ''}`)
}

/** An id is `kind:chain:address`. The address of a coin may have another name in the entry's id. */
async function entryOf(id: string): Promise<Entry | undefined> {
  const [kind = '', chain, address = ''] = id.toLowerCase().split(':')
  const query = new URLSearchParams({ kind: kind.toUpperCase(), address })
  const entries = await ask<Entry[]>('GET', `blacklist?${query}`)
  return entries.find((entry) => entry.id.toLowerCase().startsWith(`${kind}:${chain}:`))
}

export async function blacklist(): Promise<void> {
  const rows = (await ask<Entry[]>('GET', 'blacklist?limit=100')).map((entry) => [
    entry.id,
    entry.version ?? '',
    entry.listedAs,
    entry.source,
    entry.reason,
  ])
  console.log(tableOr('Nothing is listed.', ['id', 'version', 'as', 'source', 'reason'], rows))
}

type StateCount = { state: string; status: string | null; count: number; superseded: number; oldestAt: string }
export async function states(): Promise<void> {
  const rows = (await ask<StateCount[]>('GET', 'states')).map(({ state, status, count, superseded, oldestAt }) => [
    state,
    status ?? '',
    String(count),
    superseded > 0 ? String(superseded) : '',
    oldestAt,
  ])
  console.log(tableOr('There are no executions.', ['state', 'status', 'count', 'superseded', 'oldest'], rows))
}

export async function providers(): Promise<void> {
  const healths = await ask<(typeof ProviderView.infer)[]>('GET', 'providers')
  const rows = healths.map((health) => [
    health.provider,
    providerStateOf(health),
    health.breaker,
    `${(health.errorRate * 100).toFixed(1)} %`,
    `${health.p50Ms ?? '?'} ms`,
    `${health.p95Ms ?? '?'} ms`,
  ])
  console.log(table(['provider', 'health', 'breaker', 'errors', 'p50', 'p95'], rows))
  for (const { provider, unreadable } of healths) if (unreadable) console.log(`${provider}: ${unreadable}`)
}

export async function overdue(): Promise<void> {
  const late = await ask<(typeof OverdueView.infer)[]>('GET', 'overdue')
  const rows = late.map(({ kind, by, depositId, executionId, message, advice }) => [
    by,
    kind,
    executionId ?? depositId ?? '',
    [message, advice].filter(Boolean).join(' '),
  ])
  console.log(
    tableOr('Nothing is overdue.', ['overdue since', 'kind', 'concerns', 'what happened, and what to do'], rows),
  )
}

type Entered = { at: string; actor: { label: string }; verb: string; target: string; reason: string | null }
export async function audit({ limit }: { limit: number }): Promise<void> {
  const rows = (await ask<Entered[]>('GET', `audit?limit=${limit}`)).map(({ at, actor, verb, target, reason }) => [
    at,
    actor.label,
    verb,
    target,
    reason ?? '',
  ])
  console.log(tableOr('The audit log is empty.', ['at', 'who', 'verb', 'target', 'reason'], rows))
}
