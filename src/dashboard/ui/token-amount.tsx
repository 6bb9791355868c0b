import { amount } from '../data/format'

type Props = { raw: string; decimals: number | null; symbol: string }

/** A token amount in a table. In little room the symbol moves below it, and neither is cut off. */
export const TokenAmount = ({ raw, decimals, symbol }: Props) => (
  <span title={`${raw} atomic units`}>
    <span className={decimals === null ? undefined : 'nowrap'}>{amount(raw, decimals, 4)}</span>{' '}
    <span className="nowrap">{symbol}</span>
  </span>
)
