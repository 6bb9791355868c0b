import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api'
import { amount, chainName, short } from '../../format'
import { useHere } from '../../session'
import { Copy } from '../../ui/copy'
import { Bones, Card, Trouble } from '../../ui/parts'

type Relayer = { chainId: number; chainKey: string; symbol: string; address: string; balance: string | null }

const nativeDecimals = 18
/** In thousandths of a coin: some hundred routes are left. */
const lowThousandths = 50n
const isLow = (balance: string): boolean => BigInt(balance) < lowThousandths * 10n ** BigInt(nativeDecimals - 3)

/** The keys that pay gas. Who has none sends nothing: its executions wait until somebody fills it up. */
export function Relayers() {
  const { organization } = useHere()
  const relayers = useQuery({
    queryKey: ['relayers', organization.id],
    queryFn: () => ask<Relayer[]>('/relayers'),
    refetchInterval: 15_000,
  })
  return (
    <Card title="Relayers" side={<span className="sub tiny">Native coin for gas, by chain</span>}>
      <Trouble error={relayers.error} retry={() => void relayers.refetch()} />
      {!relayers.data ? (
        <Bones rows={5} />
      ) : (
        <div className="table-box" role="group" aria-label="Table" tabIndex={0}>
          <table className="table dense" aria-label="Relayers">
            <thead>
              <tr>
                <th>Chain</th>
                <th>Relayer</th>
                <th className="right">Balance</th>
                <th>State</th>
              </tr>
            </thead>
            <tbody>
              {relayers.data.map(({ chainId, chainKey, symbol, address, balance }) => (
                <tr key={`${chainId} ${address}`}>
                  <td className="strong">{chainName(chainKey)}</td>
                  <td>
                    <span className="row keep id-cell">
                      <span className="mono" title={address}>
                        {short(address)}
                      </span>
                      <Copy value={address} what="relayer address" />
                    </span>
                  </td>
                  <td className="right num nowrap">
                    {balance === null ? '–' : `${amount(balance, nativeDecimals, 4)} ${symbol}`}
                  </td>
                  <td>
                    {balance === null ? (
                      <span className="pill t-mute">Not known</span>
                    ) : isLow(balance) ? (
                      <span className="pill t-bad">Fill up</span>
                    ) : (
                      <span className="pill t-ok">Enough</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}
