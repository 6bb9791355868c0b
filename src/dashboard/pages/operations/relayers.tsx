import { useQuery } from '@tanstack/react-query'
import type { RelayerView } from '../../../http/dashboard/relayers'
import { ask } from '../../data/api'
import { amount, chainName } from '../../data/format'
import { useHere } from '../../data/session'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Table } from '../../ui/table'

type Relayer = RelayerView

const nativeDecimals = 18
/** A balance below this is low, in thousandths of a coin. It pays for some hundred routes. */
const lowThousandths = 50n
const isLow = (balance: string): boolean => BigInt(balance) < lowThousandths * 10n ** BigInt(nativeDecimals - 3)

/** The keys that pay for gas. A key without coin sends nothing, and its executions wait until it is funded. */
export function Relayers() {
  const { organization } = useHere()
  const relayers = useQuery({
    queryKey: ['relayers', organization.id],
    queryFn: () => ask<Relayer[]>('/relayers'),
    refetchInterval: 15_000,
  })
  return (
    <Card title="Relayers" side={<span className="sub tiny">Native coin left for gas</span>}>
      <Loaded of={relayers} bones={<Bones rows={4} />}>
        {(rows) => <Balances rows={rows} />}
      </Loaded>
    </Card>
  )
}

function Balances({ rows }: { rows: readonly Relayer[] }) {
  const chains = [...new Set(rows.map(({ chainKey }) => chainKey))]
  return (
    <Table
      label="Relayers"
      kind="folds dense"
      heads={['Relayer', ...chains.map((chain) => ({ right: chainName(chain) }))]}
    >
      {[...Map.groupBy(rows, ({ address }) => address)].map(([address, balances]) => (
        <tr key={address}>
          <td>
            <span className="row keep id-cell">
              <Hash value={address} kind="address" />
              <Copy value={address} what="relayer address" />
            </span>
          </td>
          {chains.map((chain) => (
            <td key={chain} className="right num nowrap to-left" data-label={chainName(chain)}>
              <Left relayer={balances.find(({ chainKey }) => chainKey === chain)} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

function Left({ relayer }: { relayer: Relayer | undefined }) {
  if (!relayer) return <span className="sub">–</span>
  if (relayer.balance === null) return <span className="sub">unknown</span>
  const text = `${amount(relayer.balance, nativeDecimals, 4)} ${relayer.symbol}`
  return isLow(relayer.balance) ? <span className="pill t-bad">{text}, top up</span> : text
}
