import { Elysia } from 'elysia'
import type { ChainHead } from '../../domain/tenant/audit-chain'
import { memberSession, operators } from './member-session'
import type { MemberPorts } from './ports'

/** Serves the end of the audit chain of the selected organization. */
export const auditHeadRoute = (ports: MemberPorts) =>
  new Elysia()
    .use(memberSession(ports, operators))
    .get('/audit/head', ({ session }): Promise<ChainHead> => ports.auditLog.head(session.organization.id))
