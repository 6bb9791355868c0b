import { Link } from 'wouter'
import type { OpenDepositsView, OpenDepositView } from '../../../http/dashboard/deletion/open-deposits'
import { chainName, grouped } from '../../data/format'
import { LinkedIds } from '../../ui/linked-ids'
import { Status } from '../../ui/status'
import { Table } from '../../ui/table'
import { TokenAmount } from '../../ui/token-amount'

/** The deposits that would be left to the platform's operators: where the money is, and what to do. */
export const OpenDeposits = ({ left: { count, deposits } }: { left: OpenDepositsView }) => (
  <>
    <p className="small">
      {count === 1 ? 'One deposit is' : `${grouped(count)} deposits are`} unfinished. No member can act on them after
      the deletion. If you can, have them delivered or refunded first, and name a refund address in the intents of the
      others. Deposits in progress continue as their intents say. Money of ended deposits stays where it is, and the
      platform’s operators may route it again or refund it.
    </p>
    <details>
      <summary className="small strong">
        Show {count === 1 ? 'this deposit' : `these ${grouped(count)} deposits`}
      </summary>
      <Table heads={['User', 'Status', { right: 'Amount' }, 'What to do']} kind="folds" label="Unfinished deposits">
        {deposits.map((deposit) => (
          <DepositLeft key={deposit.id} deposit={deposit} />
        ))}
      </Table>
      {count > deposits.length && <p className="small sub">These are the first {deposits.length}.</p>}
    </details>
  </>
)

const DepositLeft = ({ deposit: { id, isShown, userId, status, funds, next } }: { deposit: OpenDepositView }) => (
  <tr>
    <td>
      <Link href={`/${isShown ? 'executions' : 'deposits'}/${encodeURIComponent(id)}`} className="rowlink">
        {userId}
      </Link>
    </td>
    <td>{status ? <Status status={status} /> : <span className="pill t-info">not sent yet</span>}</td>
    <td className="right to-left">
      <TokenAmount raw={funds.amount} decimals={funds.tokenDecimals} symbol={funds.tokenSymbol} />
      <div className="sub tiny">{chainName(funds.chainKey)}</div>
    </td>
    <td className="small whole wrap">
      <LinkedIds>{next.message}</LinkedIds>
    </td>
  </tr>
)
