import { Elysia } from 'elysia'
import type { Organization } from '../../../src/domain/tenant/organization'
import { arrivals } from '../../../src/http/request/arrival-time'
import type { Caller } from '../../../src/http/request/caller'
import { failures } from '../../../src/http/request/failure'
import { targetCheck } from '../../../src/http/routes/check-target'
import { depositIntents, wakingWaiting } from '../../../src/http/routes/deposit-intents'
import { users } from '../../../src/http/routes/users'
import type { IdempotentRequests } from '../../../src/ports/limits'
import type { Accounts, HeldChanges } from '../../../src/ports/tenants'
import type { Wakes } from '../../../src/ports/wakes'
import { addressOf } from '../deposits'
import { usualTokens } from '../outage'
import { seals } from '../seals'
import type { City } from './city'
import type { Process } from './loop'
import { accountNamed, partyOf, registry, targetToken } from './parties'
import type { Bug, View } from './view'

type Ports = Parameters<typeof depositIntents>[0]
/** The part of a planted bug that changes the API. */
export type ApiBug = (ports: Ports) => Partial<Ports>

const organizationOf = (id: string) =>
  ({ id, plan: 'custom', customPlan: { monthlyExecutions: null, rates: {} } }) as unknown as Organization

/** A process of the API: the product's handlers, on a store that can fail. */
export class Api {
  private lives = 0
  private requests = 0
  private caller: Caller | null = null
  private ports: Ports
  private readonly app: { handle(request: Request): Promise<Response> }

  constructor(
    private readonly city: City,
    private readonly process: Process,
    private readonly wakes: Pick<Wakes, 'wakeNow'>,
    private readonly bug: Bug | null,
  ) {
    this.ports = this.boot()
    // A start replaces what the process has in memory, and not the handlers.
    const present = new Proxy({} as Ports, { get: (_, name) => Reflect.get(this.ports, name) })
    const gate = () => this.caller!
    this.app = new Elysia()
      .use(arrivals)
      .use(failures(() => {}))
      .use(depositIntents(present, gate, ''))
  }

  private boot(): Ports {
    const view: View = { ...this.city.viewOf(this.process, `${this.process.name}-${this.lives++}`) }
    Object.assign(view, this.bug?.({ ...view }))
    const { intents, executions, blacklist, now } = view
    const { process, wakes } = this
    const noteBug = () => {}
    const accounts = {
      load: async () => null,
      findByUser: (organizationId: string, userId: string) =>
        process.ask(async () => accountNamed(organizationId, userId), undefined, 'account'),
    } as unknown as Accounts
    const tokens = { tokens: usualTokens, unspendable: () => null, payable: async () => null }
    const ports: Ports = {
      intents,
      accounts,
      executions,
      users: users({ accounts, factory: { registry, implementation: registry }, assureAddresses: async () => {}, now }),
      holding: {
        heldChanges: {} as HeldChanges,
        organizations: { load: async (id) => organizationOf(id) },
      } as Ports['holding'],
      checkTarget: targetCheck({ ...tokens, intents, blacklist, hasCode: async () => true }),
      alone: (_, act) => act(),
      wakeWaiting: wakingWaiting({ executions, wakes, noteBug }),
      operator: {
        auditLog: { append: () => process.ask(async () => {}, undefined, 'audit log') } as never,
        newId: (prefix) => `${prefix}${process.name}-${++this.requests}`,
      },
      idempotency: {} as IdempotentRequests,
      sealing: { seals, noteBug },
      now,
    }
    return { ...ports, ...view.api?.(ports) }
  }

  /** It loses its memory. */
  restart(): void {
    this.process.die()
    this.ports = this.boot()
  }

  /** An integrator changes a user's target to a new recipient. */
  putIntent(lane: number): void {
    if (this.process.isFrozen) return
    const { account, organizationId, userId, protocolFeeBps } = partyOf(lane)
    const targetAddress = addressOf(0x2d00_0000 + Number(BigInt(account) % 256n) * 0x1_0000 + ++this.requests)
    const body = JSON.stringify({ userId, targetChainId: 42161, targetTokenAddress: targetToken, targetAddress })
    const actor = { kind: 'API_KEY', id: `key of ${organizationId}`, label: 'simulated' } as const
    const terms = { protocolFeeBps, sponsoredGas: false }
    const caller = {
      organization: organizationOf(organizationId),
      tenant: organizationId,
      actor,
      personId: null,
      terms,
    }
    const put = async () => {
      this.caller = caller
      const request = new Request('http://api.test/deposit-intents', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': String(body.length),
          'x-request-id': `request-${this.requests}`,
        },
        body,
      })
      const { status } = await this.app.handle(request)
      if (status === 200 || status === 201) this.city.answered(account, targetAddress)
    }
    void this.process.work(`changes the intent of ${userId} of ${organizationId}`, put).catch(() => {})
  }
}
