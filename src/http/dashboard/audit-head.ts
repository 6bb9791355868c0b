import { Elysia } from 'elysia'
import type { ChainHead } from '../../domain/tenant/audit-chain'
import type { AuditQueries } from '../../ports/queries'
import { memberSession, operators, type SessionPorts } from './member-session'

type Ports = SessionPorts & {
  auditLog: Pick<AuditQueries, 'head'>
}

/** Serves the end of the audit chain of the selected organization. */
export const auditHeadRoute = (ports: Ports) =>
  new Elysia()
    .use(memberSession(ports, operators))
    .get('/audit/head', ({ session }): Promise<ChainHead> => ports.auditLog.head(session.organization.id))
