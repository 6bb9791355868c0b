import { isStatus, statuses } from '../../domain/execution/status'

const tones = { info: 'info', success: 'ok', warning: 'warn', danger: 'bad' } as const
export const toneOfStatus = (status: string | null): string =>
  status !== null && isStatus(status) ? tones[statuses[status].tone] : 'info'

const isActive = (status: string): boolean => statuses[status as keyof typeof statuses]?.kind === 'active'

export const Status = ({ status }: { status: string }) => (
  <span
    className={`pill t-${toneOfStatus(status)} ${isActive(status) ? 'is-busy' : ''}`}
    title={statuses[status as keyof typeof statuses]?.description}
  >
    {status}
  </span>
)

const stageTones: Record<string, string> = { ROUTED: 'ok', ORPHANED: 'bad', PAUSED: 'warn', WAITING_FOR_INTENT: 'warn' }
const toneOfActor: Record<string, string> = { SERVICE: 'info', PROVIDER: 'info', NOBODY: 'ok' }
/** @param actor Who acts next, if known. A routed or returned deposit is not finished while someone must act. */
export const toneOfStage = (stage: string, actor?: string): string =>
  (stage === 'ROUTED' || stage === 'RETURNED') && actor ? (toneOfActor[actor] ?? 'warn') : (stageTones[stage] ?? 'info')
export const Stage = ({ stage, actor }: { stage: string; actor?: string }) => (
  <span className={`pill t-${toneOfStage(stage, actor)} ${stage === 'CONFIRMING' ? 'is-busy' : ''}`}>{stage}</span>
)
