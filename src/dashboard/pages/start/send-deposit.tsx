import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { shortId } from '../../data/format'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { Hash } from '../../ui/hash'
import { Note } from '../../ui/parts'
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
    {(user !== null || !steps.hasFaucet) && <PretendDeposit steps={steps} user={user ?? 'user-1'} />}
  </div>
)

/** The newest deposit, and who acts next on it. */
const Seen = ({ deposit: { id, userId, stage, next } }: { deposit: DepositRow }) => (
  <p className="small row">
    <Stage stage={stage} actor={next.actor} />
    <span>
      <Link href={`/deposits/${encodeURIComponent(id)}`}>
        <Hash value={id} kind="deposit" shown={shortId(id)} />
      </Link>{' '}
      of {userId}: {next.message}
    </span>
  </p>
)

/** Nobody has to act, or only the service and its providers do. */
const isOnItsWay = ({ next: { actor } }: DepositRow): boolean => ['SERVICE', 'PROVIDER', 'NOBODY'].includes(actor)

type DeliveryProps = { success: ExecutionRow | null; deposit: DepositRow | null }
/** The first delivery, or how far the newest deposit is. A deposit that stopped says so. */
export function SeeDelivery({ success, deposit }: DeliveryProps) {
  if (success)
    return (
      <p className="small row">
        <Status status="SUCCESS" />
        <Link href={`/executions/${encodeURIComponent(success.id)}`}>{success.userId}’s deposit arrived</Link>
      </p>
    )
  if (!deposit)
    return (
      <p className="small">
        Nothing to do: Switchyard finds the deposit, routes it and shows every step.{' '}
        <Link href="/executions">Executions</Link>
      </p>
    )
  if (isOnItsWay(deposit))
    return (
      <p className="small">
        <span className="pill t-info is-busy" role="status">
          Waiting for the delivery
        </span>{' '}
        {deposit.next.message}
      </p>
    )
  return (
    <Note tone="warn" role="status">
      This deposit was not delivered. {deposit.next.message}{' '}
      <Link href={`/deposits/${encodeURIComponent(deposit.id)}`}>Open the deposit</Link>, or send another one in the
      step above.
    </Note>
  )
}
