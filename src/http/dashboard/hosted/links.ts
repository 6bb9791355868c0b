import { createHash } from 'node:crypto'
import { Elysia } from 'elysia'
import type { Address } from '../../../domain/chain/hex'
import { rewrite } from '../../../domain/concurrency'
import { type } from '../../../domain/schema'
import { colorForm, type DepositPage, linkMinutes, logoForm, usualColor } from '../../../domain/tenant/deposit-page'
import type { DepositQueries } from '../../../ports/queries'
import type { Accounts, AuditLog } from '../../../ports/tenants'
import type { Vault } from '../../../ports/webhooks'
import { payToken } from '../../pay/pay-token'
import { Refusal } from '../../request/failure'
import { isoTime, UserId } from '../../views/scalar'
import { audited } from '../audited'
import { admins, everybody, memberSession, operators, type SessionPorts } from '../member-session'
import { depositFor } from './answers'

type Ports = SessionPorts & {
  accounts: Pick<Accounts, 'findByUser'>
  depositQueries: Pick<DepositQueries, 'find'>
  vault: Vault
  auditLog: AuditLog
}

const Settings = type({
  isOn: 'boolean',
  name: type(/^[^\p{Cc}\p{Cs}]{1,64}$/u).describe('1 to 64 characters, none a control character'),
  color: type(colorForm).describe('a colour such as #1a7f5a'),
  /** Absent: the logo stays. */
  'logo?': type(logoForm).describe('a PNG of at most 9 kB as a data URL').or('null'),
})
const LinkRequest = type({
  'userId?': UserId,
  /** Shows this deposit alone, instead of the page of its user's address. */
  'depositId?': type(/^[\w:-]{1,200}$/).describe('the id of a deposit'),
  'minutes?': type(`${linkMinutes.least} <= number.integer <= ${linkMinutes.most}` as '5 <= number.integer <= 1440'),
})

export type DepositPageView = Omit<typeof Settings.infer, 'logo'> & { logo: string | null }
export type DepositLinkView = { url: string; expiresAt: string }

const viewOf = (page: DepositPage | null | undefined, name: string): DepositPageView => ({
  isOn: Boolean(page),
  name: page?.name ?? name,
  color: page?.color ?? usualColor,
  logo: page?.logo ?? null,
})

/** Owners and admins switch the hosted deposit page on; operators can also create links to it. */
export function depositPageRoutes(ports: Ports) {
  const { organizations, accounts, vault, origin, now } = ports
  async function accountOf(organizationId: string, userId: string): Promise<Address> {
    const account = await accounts.findByUser(organizationId, userId)
    if (!account) throw new Refusal('NO_ACCOUNT')
    return account.id
  }
  const payeeOf = async (organizationId: string, depositId: string): Promise<Address> => {
    const { execution, sighting } = await depositFor(ports, organizationId, depositId)
    return accountOf(organizationId, (execution ?? sighting!).userId)
  }
  return new Elysia()
    .use(
      new Elysia()
        .use(memberSession(ports, everybody))
        .get('/deposit-page', ({ session: { organization } }) => viewOf(organization.depositPage, organization.name)),
    )
    .use(
      new Elysia().use(memberSession(ports, admins)).put(
        '/deposit-page',
        async ({ session, body }): Promise<DepositPageView> => {
          const { organization } = session
          const name = body.name.trim() || organization.name
          const { isOn, color, logo: given } = body
          const digest =
            given === undefined ? {} : { digest: given && createHash('sha256').update(given).digest('hex') }
          const details = { isOn, name, color, ...digest }
          await audited(ports, session, { verb: 'deposit_page.edit', target: organization.id, details })
          const saved = await rewrite(organizations, organization.id, (current) => {
            const { since = now(), logo: before = null } = current?.depositPage ?? {}
            const logo = given === undefined ? before : given
            return current && { ...current, depositPage: isOn ? { name, color, logo, since } : null }
          })
          if (!saved) throw new Refusal('CHANGED_MEANWHILE')
          return viewOf(saved.depositPage, saved.name)
        },
        { body: Settings },
      ),
    )
    .use(
      new Elysia().use(memberSession(ports, operators)).post(
        '/deposit-page/links',
        async ({
          session,
          body: { userId, depositId, minutes = linkMinutes.usual },
          set,
        }): Promise<DepositLinkView> => {
          const { organization } = session
          if (!organization.depositPage) throw new Refusal('NOT_FOUND', { message: 'The deposit page is switched off' })
          const deposit = depositId ?? null
          const target = deposit ?? userId
          if (target === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'userId or depositId is needed' })
          const account =
            deposit === null ? await accountOf(organization.id, target) : await payeeOf(organization.id, deposit)
          const madeAt = now()
          const expiresAt = madeAt + minutes * 60_000
          await audited(ports, session, { verb: 'deposit_page.link', target, details: { minutes } })
          set.status = 201
          const url = `${origin}/pay/${payToken(vault, { account, madeAt, expiresAt, deposit })}`
          return { url, expiresAt: isoTime(expiresAt) }
        },
        { body: LinkRequest },
      ),
    )
}
