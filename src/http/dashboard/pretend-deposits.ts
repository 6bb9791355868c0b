import { Elysia } from 'elysia'
import { type ChainKey, chainKeyOf } from '../../domain/chain/chain'
import { type } from '../../domain/schema'
import { planOf } from '../../domain/tenant/organization'
import type { Faucet } from '../../ports/chain-client'
import type { LimitCounters } from '../../ports/limits'
import type { Accounts, AuditLog, DepositIntents } from '../../ports/tenants'
import { Refusal } from '../request/failure'
import type { CountIn } from '../request/limits'
import { UserId } from '../views/scalar'
import { audited } from './audited'
import { type MemberSession, memberSession, operators, type SessionPorts } from './member-session'
import { tooMany } from './sign-in/attempts'

type Ports = SessionPorts & {
  faucet: Faucet | null
  limitCounters: LimitCounters
  countIn: CountIn
  accounts: Pick<Accounts, 'findByUser'>
  intents: DepositIntents
  auditLog: AuditLog
}

const Request = type({ userId: UserId })

const gift = { tokenSymbol: 'USDC', amountRaw: 25_000_000n } as const
const [most, windowMs] = [30, 10 * 60_000]

/** Returns a source chain other than the target, so the whole route is visible. */
const fromOf = (target: ChainKey): ChainKey => (target === 'base' ? 'arbitrum' : 'base')

/**
 * Makes a deposit of test tokens without value at the address of one of the organization's own users. It takes the same
 * steps as any other deposit. The path exists only with a faucet.
 */
export const pretendDepositRoutes = (ports: Ports) => (ports.faucet ? pretending(ports, ports.faucet) : new Elysia())

export type PretendDepositView = {
  userId: string
  fromChainKey: ChainKey
  fromTokenSymbol: string
  amountIn: string
  depositAddress: string
  depositTxHash: string
}

const pretending = (ports: Ports, faucet: Faucet) => {
  async function takeTurn({ organization }: MemberSession): Promise<void> {
    const at = ports.now()
    const window = Math.floor(at / windowMs)
    const endsAt = (window + 1) * windowMs
    const id = `pretend-deposits:${organization.id}:${window}`
    if (!(await ports.limitCounters.take(id, most, endsAt + 60_000))) throw tooMany(endsAt - at)
  }

  return new Elysia().use(memberSession(ports, operators)).post(
    '/pretend-deposits',
    async ({ session, body: { userId }, set }): Promise<PretendDepositView> => {
      const { organization, person } = session
      ports.countIn(person.id, 'W', planOf(organization).rates, set.headers)
      const account = await ports.accounts.findByUser(organization.id, userId)
      const intent = account && (await ports.intents.load(account.id))
      if (!intent) throw new Refusal('NO_DEPOSIT_INTENT')
      await takeTurn(session)
      const chainKey = fromOf(chainKeyOf(intent.targetChainId))
      const { tokenSymbol, amountRaw } = gift
      const sent = { userId, fromChainKey: chainKey, fromTokenSymbol: tokenSymbol, amountIn: String(amountRaw) }
      await audited(ports, session, { verb: 'deposit.pretend', target: intent.id, details: sent })
      const depositTxHash = await faucet.send({ ...gift, chainKey, to: intent.id }).catch((cause) => {
        throw new Refusal('PROVIDER_UNAVAILABLE', { message: 'The faucet does not respond: try again', cause })
      })
      set.status = 201
      return { ...sent, depositAddress: intent.id, depositTxHash }
    },
    { body: Request },
  )
}
