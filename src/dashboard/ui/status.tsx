import { type DepositStage, stageNames } from '../../domain/deposit/deposit-stage'
import { isStatus, statuses } from '../../domain/execution/status'
import { Code } from './parts'

const tones = { info: 'info', success: 'ok', warning: 'warn', danger: 'bad' } as const
export const toneOfStatus = (status: string | null): string =>
  status !== null && isStatus(status) ? tones[statuses[status].tone] : 'info'

type NamedProps = { code: string; name: string; tone: string; isBusy: boolean; title?: string | undefined }
/** A status: its plain name, and its code as the API has it. */
export const Named = ({ code, name, tone, isBusy, title }: NamedProps) => (
  <span className="status" title={title}>
    <span className={`pill t-${tone} ${isBusy ? 'is-busy' : ''}`}>{name}</span>{' '}
    <span className="status-code">
      <Code>{code}</Code>
    </span>
  </span>
)

/** The status of an execution: its plain name, and its code as the API has it. */
export function Status({ status }: { status: string }) {
  const row = isStatus(status) ? statuses[status] : null
  return (
    <Named
      code={status}
      name={row ? row.name : status}
      tone={toneOfStatus(status)}
      isBusy={row?.kind === 'active'}
      title={row?.description}
    />
  )
}

const stageTones: Record<string, string> = { ROUTED: 'ok', ORPHANED: 'bad', PAUSED: 'warn', WAITING_FOR_INTENT: 'warn' }
const toneOfActor: Record<string, string> = { SERVICE: 'info', PROVIDER: 'info', NOBODY: 'ok' }
/** @param actor Who acts next, if known. A routed or returned deposit is not finished while someone must act. */
export const toneOfStage = (stage: string, actor?: string): string =>
  (stage === 'ROUTED' || stage === 'RETURNED') && actor ? (toneOfActor[actor] ?? 'warn') : (stageTones[stage] ?? 'info')
const nameOfStage = (stage: string): string => (stage in stageNames ? stageNames[stage as DepositStage] : stage)
/** The stage of a deposit: its plain name, and its code. */
export const Stage = ({ stage, actor }: { stage: string; actor?: string }) => (
  <Named code={stage} name={nameOfStage(stage)} tone={toneOfStage(stage, actor)} isBusy={stage === 'CONFIRMING'} />
)
