import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { shortId } from '../../data/format'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { Stage, Status } from '../../ui/status'
import { type FirstSteps, PretendDeposit } from './pretend-deposit'

type DepositProps = { deposit: DepositRow | null; steps: FirstSteps; user: string | null }
export const SendDeposit = ({ deposit, steps, user }: DepositProps) => (
  <div className="stack">
    {deposit ? (
      <Seen deposit={deposit} />
    ) : user === null ? (
      <p className="small sub">Store the intent of a user first. The deposit goes to that user’s address.</p>
    ) : (
      <p className="small">
        <span className="pill t-info is-busy" role="status">
          Waiting for your deposit
        </span>{' '}
        Send any listed token to the address on any of the five chains. It appears here once it is seen.{' '}
        <Link href={`/address${queryOf({ user })}`}>Address and QR code</Link>
      </p>
    )}
    {(user !== null || !steps.hasFaucet) && <PretendDeposit known={steps} user={user ?? 'user-1'} />}
  </div>
)

/** The newest deposit, and who acts next on it. */
const Seen = ({ deposit: { id, userId, stage, next } }: { deposit: DepositRow }) => (
  <p className="small row">
    <Stage stage={stage} actor={next.actor} />
    <span>
      <Link href={`/deposits/${encodeURIComponent(id)}`} className="mono">
        {shortId(id)}
      </Link>{' '}
      of {userId}: {next.message}
    </span>
  </p>
)

export const SeeDelivery = ({ success }: { success: ExecutionRow | null }) =>
  success ? (
    <p className="small row">
      <Status status="SUCCESS" />
      <Link href={`/executions/${encodeURIComponent(success.id)}`}>{success.userId}’s deposit arrived</Link>
    </p>
  ) : (
    <p className="small">
      Nothing to do: Switchyard finds the deposit, routes it and shows every step.{' '}
      <Link href="/executions">Executions</Link>
    </p>
  )
