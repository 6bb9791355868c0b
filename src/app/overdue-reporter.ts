import { repeat } from '../domain/repeat'
import type { Observations, OverdueReports, ReportedOverdue } from '../ports/observing'
import type { FailedWake } from '../routing/engine/worker'
import { observeComponents, type PollPorts } from '../routing/overdue/observe'
import { type OverduePorts, overdueNow } from '../routing/overdue/overdue-now'
import { type OverdueListeners, reportEveryMs, reportOverdue } from '../routing/overdue/report-overdue'
import type { Log } from './logging/log'

type Ports = PollPorts &
  Omit<OverduePorts, 'chains'> & { chains: OverduePorts['chains'] & PollPorts['chains'] } & {
    overdueReports: OverdueReports
    observations: Observations
    log: Log
  }

/** After this many redeliveries a wake-up is treated as poison. */
const poisonAfter = 5

/** Reports overdue work: to the log at a fixed interval, and elsewhere on request. */
export function overdueReporter(ports: Ports) {
  const { overdueReports, observations, log, now, onTrouble } = ports
  const overdue = overdueNow(ports)
  const observe = observeComponents(ports)
  const listeners = overdueLog(log)
  const report = (): Promise<boolean> => reportOverdue({ overdueReports, overdue, listeners, now }, observe)
  const reporting = repeat({
    everyMs: reportEveryMs,
    first: 'LATER',
    work: report,
    onTrouble: (error) => onTrouble('reporting what is overdue', error),
  })

  return {
    overdue,
    report,
    /** Records a message that cannot be processed, separately from its execution. */
    noteSettled({ verdict, wake }: FailedWake): void {
      if (verdict === 'nak' && wake.redeliveries < poisonAfter) return
      const component = { kind: 'POISON', chainId: null, provider: null, subject: null } as const
      observations.note(component, now(), null).catch((error) => onTrouble('recording a failed wake-up', error))
    },
    ...reporting,
  }
}

/** Logs one line when something becomes overdue and one when that ends. */
const overdueLog = (log: Pick<Log, 'write'>): OverdueListeners => ({
  onOverdue({ kind, chainId, provider, subject, executionId, depositId, organizationId, ...rest }, isAgain) {
    const { since, by, message, advice } = rest
    const times = { since: new Date(since).toISOString(), by: new Date(by).toISOString() }
    const what = { overdue: kind, chainId, provider, subject, execution: executionId, deposit: depositId }
    const line = `${isAgain ? 'still overdue' : 'overdue'}: ${message} ${advice}`
    log.write('OVERDUE', { ...what, organization: organizationId, ...times }, line)
  },
  onOver: ({ id, kind, chainId }: ReportedOverdue) => log.write('OVERDUE_OVER', { overdue: kind, chainId, id }),
  onMore: (count) => log.write('OVERDUE_MORE', { count }),
})
