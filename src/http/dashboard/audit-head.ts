import { Elysia } from 'elysia'
import type { ChainHead } from '../../domain/tenant/audit-chain'
import { memberSession, operators } from './member-session'
import type { MemberPorts } from './ports'

/** The end of the chain of the organization that is looked at. */
export const auditHeadRoute = (ports: MemberPorts) =>
  new Elysia()
    .use(memberSession(ports, operators))
    .get('/audit/head', ({ session }): Promise<ChainHead> => ports.auditLog.head(session.organization.id))
