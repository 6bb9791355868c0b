import type { ApiPorts, DashboardPorts } from '../../../src/app/api/ports'
import type { Semaphore } from '../../../src/domain/limits/semaphore'
import type { MemberRole } from '../../../src/domain/tenant/member-role'
import type { DomainClaim, Via } from '../../../src/domain/tenant/sso'
import { storedSemaphores } from '../../../src/limits/stored-semaphores'
import type { Faucet } from '../../../src/ports/chain-client'
import type { UsageRow } from '../../../src/ports/limits'
import type { Erasure, Invitation, Membership, Person } from '../../../src/ports/people'
import type { Records } from '../../../src/ports/records'
import { peopledWorld, type Sent } from '../../http/world'
import { limitCountersInMemory } from '../../support/limit-counters'
import { nodesBillOf } from '../../support/nodes-bill'
import { noSso } from '../../support/open-id-provider'
import { recordsOf } from '../../support/records'

export const pageOrigin = 'http://localhost'

/** The figures of a day, with the organization in place of the key. */
const usageRow = (apiKeyId: string, date: string): UsageRow => ({
  date,
  apiKeyId,
  fromChainId: 8453,
  toChainId: 1,
  token: `0x${'2'.repeat(40)}`,
  status: 'SUCCESS',
  count: 1,
  amountInRaw: 5n,
  protocolFeeRaw: 1n,
  protocolFeeForgivenRaw: 0n,
  gasFeeRaw: 1n,
  sponsoredMicroUsd: 0n,
  secondsToSuccess: 1,
})

type Changes = Partial<Pick<DashboardPorts, 'send' | 'limitCounters'>> & {
  shared?: Records<Semaphore>
  faucet?: Faucet | null
  memberships?: ReturnType<typeof recordsOf<Membership>>
  ports?: Partial<ApiPorts>
}

/**
 * Two organizations and the platform, each with a person of every role, and an identity provider that trusts a cookie.
 */
export async function membersWorld({
  send = null,
  limitCounters = limitCountersInMemory(),
  faucet = { send: async () => `0x${'f'.repeat(64)}` },
  shared,
  memberships = recordsOf<Membership>('memberships'),
  ports = {},
}: Changes = {}) {
  const people = new Map<string, Person>()
  /** Second steps by person, with the time of the last proof. Empty at first. */
  const secondSteps = new Map<string, { hasSecondStep: boolean; secondStepAt: number | null }>()
  /** Start of each session. By default now. */
  const began = new Map<string, number>()
  /** Provider connections by person, for sessions that began through a provider. */
  const vias = new Map<string, Via>()
  const endedVia: string[] = []
  /** TXT records by name. Null for no response. */
  const texts = new Map<string, string[] | null>()
  const invitations = recordsOf<Invitation>('invitations')
  const erasures = recordsOf<Erasure>('erasures')
  const erased: string[] = []
  const emails: { to: string; text: string }[] = []
  const who = (headers: Headers) => people.get(/person=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '') ?? null

  const parts: Omit<DashboardPorts, 'auditLog' | 'inboundWebhooks'> = {
    identity: {
      answer: async () => new Response('{}', { headers: { 'content-type': 'application/json' } }),
      signedIn: async (headers) => {
        const person = who(headers)
        if (!person) return null
        const { hasSecondStep = false, secondStepAt = null } = secondSteps.get(person.id) ?? {}
        const via = vias.get(person.id) ?? null
        const beganAt = began.get(person.id) ?? clock.now
        const signedIn = { ...person, hasSecondStep, isVerified: true }
        return { person: signedIn, sessionId: 'session', beganAt, secondStepAt, via }
      },
      people: async (ids) => ids.flatMap((id) => people.get(id) ?? []),
      findByEmail: async (email) => [...people.values()].find((each) => each.email === email) ?? null,
      subjectOf: async () => null,
      noteSecondStep: async () => {},
      renew: async () => new Response(),
      backupCodesLeft: async () => 10,
      reportBackupCode: async () => {},
      forgetDevices: async () => {},
      markOf: async () => 'mark',
      isMarkOf: async () => false,
      traceOf: async (email) => `trace of ${email}`,
      linkedWith: async () => null,
      personAt: async () => {
        throw new Error('Nobody comes by a provider here')
      },
      link: async () => false,
      beginVia: async () => new Response(),
      endVia: async (connectionId) => void endedVia.push(connectionId),
      create: async () => {
        throw new Error('Nobody is created here')
      },
    },
    memberships: {
      load: memberships.load,
      save: memberships.save,
      ofPerson: async (id) => memberships.all().filter(({ members }) => members.some((each) => each.personId === id)),
    },
    invitations: {
      load: invitations.load,
      save: invitations.save,
      findByToken: async (digest) =>
        invitations.all().find((each) => each.tokenDigest === digest && each.acceptedAt === null) ?? null,
      ofOrganization: async (id) => invitations.all().filter((each) => each.organizationId === id),
    },
    erasures: {
      load: erasures.load,
      save: erasures.save,
      carryOut: async ({ id }) => void erased.push(id),
      finish: async () => 0,
    },
    domainClaims: recordsOf<DomainClaim>('domainClaims'),
    openId: { ...noSso.openId, isProvider: async () => true },
    lookUpTexts: async (name) => (texts.has(name) ? texts.get(name)! : []),
    nodesBill: nodesBillOf(
      { '2026-11-21': [{ chain: 'base', methods: { eth_call: 10, eth_getLogs: 2, eth_chainId: 1 } }] },
      { base: 100 },
    ),
    relayers: async () => [{ chainId: 8453, address: `0x${'4'.repeat(40)}`, balanceWei: 2n * 10n ** 18n }],
    limitCounters,
    faucet,
    send,
    isOpen: true,
    mayReset: true,
    origin: pageOrigin,
    pages: async () => ({
      html: { signedIn: '<head></head>', signedOut: '<head></head>' },
      preloads: new Map(),
      files: new Map(),
    }),
  }
  // The audit log is the world's own, so both see the same entries.
  let auditLog: DashboardPorts['auditLog'] | null = null
  let inboundWebhooks: DashboardPorts['inboundWebhooks'] | null = null
  let clock = { now: 0 }
  const dashboard: DashboardPorts = {
    ...parts,
    auditLog: {
      append: (entry) => auditLog!.append(entry),
      list: (filter, page) => auditLog!.list(filter, page),
      head: (organizationId) => auditLog!.head(organizationId),
      chain: (...asked) => auditLog!.chain(...asked),
      names: (organizationId) => auditLog!.names(organizationId),
      isWhole: (organizationId) => auditLog!.isWhole(organizationId),
      nextChain: (after) => auditLog!.nextChain(after),
    },
    inboundWebhooks: {
      note: (said) => inboundWebhooks!.note(said),
      find: (...asked) => inboundWebhooks!.find(...asked),
      ofCoin: (...asked) => inboundWebhooks!.ofCoin(...asked),
    },
  }
  const world = await peopledWorld({
    dashboard,
    usage: {
      rows: async (organizationId, date) => [usageRow(organizationId ?? 'everybody', date)],
      deposits: async () => [],
    },
    ...ports,
    ...(shared && { semaphores: storedSemaphores({ books: shared, now: () => clock.now }) }),
  })
  auditLog = world.operators.auditLog
  inboundWebhooks = world.store.inboundWebhooks
  clock = world.clock

  async function seat(name: string, organizationId: string, role: MemberRole): Promise<void> {
    people.set(name, { id: name, name, email: `${name}@example.test` })
    const known = await memberships.load(organizationId)
    if (known?.members.some(({ personId }) => personId === name)) return // in the previous world
    const member = { personId: name, role, joinedAt: 0 }
    const saved = known
      ? await memberships.save({ ...known, members: [...known.members, member] })
      : await memberships.save({ id: organizationId, version: 0, members: [member] })
    if (!saved) throw new Error('Somebody else sat down')
  }
  for (const role of ['owner', 'admin', 'operator', 'member'] as const) {
    await seat(role, 'org_a', role)
    await seat(`other-${role}`, 'org_b', role)
    await seat(`platform-${role}`, 'org_p', role)
  }

  /** Sends a request as the pages do: with a person's cookie, and from the pages' own origin. */
  const as = (name: string | null, path: string, { headers, ...sent }: Sent = {}) =>
    world.ask(`/app/api${path}`, {
      ...sent,
      headers: { origin: pageOrigin, ...(name && { cookie: `person=${name}` }), ...headers },
    })
  return {
    ...world,
    as,
    seat,
    people,
    secondSteps,
    began,
    vias,
    endedVia,
    texts,
    memberships,
    invitations,
    erased,
    emails,
  }
}
export type MembersWorld = Awaited<ReturnType<typeof membersWorld>>
