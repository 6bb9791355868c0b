import { chainKeyOf, isChainId } from '../../../domain/chain/chain'
import { brief, chainName, exact, grouped, short, words } from '../../data/format'

/** Labels for fields whose own names would not be understood. */
const labels: Record<string, string> = {
  address: 'IP address',
  allowedAddresses: 'Allowed addresses',
  amountIn: 'Atomic units',
  amountOutMin: 'Minimum output, in atomic units',
  apiKeyId: 'API key',
  chainId: 'Chain',
  color: 'Colour',
  depositTxHash: 'Transaction',
  endsAt: 'Ends',
  expiresAt: 'Expires',
  fromBlock: 'From block',
  fromChainKey: 'Chain',
  fromTokenSymbol: 'Token',
  isOn: 'Links work',
  intentVersion: 'Intent version',
  listedAs: 'Listed as',
  overlapSeconds: 'Overlap',
  protocolFeeBps: 'Protocol fee',
  redriveId: 'New execution',
  sponsoredGas: 'Gas',
  targetAddress: 'Recipient',
  targetChainId: 'Target chain',
  targetTokenAddress: 'Target token',
  toBlock: 'To block',
  txHash: 'Transaction',
  url: 'URL',
  userId: 'User',
}

/** Formats the fields of an audit entry: `Target chain: Arbitrum, Protocol fee: 0.5 %`. */
export function detailsText(details: Record<string, unknown>): string {
  const { from, to, ...rest } = details
  const isChange = from !== undefined && to !== undefined
  const fields = Object.entries(isChange ? rest : details).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${labelOf(name)}: ${shown(name, value)}`],
  )
  return [...(isChange ? [`${shown('', from)} → ${shown('', to)}`] : []), ...fields].join(', ')
}

function labelOf(name: string): string {
  const said = words(name.replace(/([A-Z])/g, ' $1'))
  return labels[name] ?? said.slice(0, 1).toUpperCase() + said.slice(1)
}

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'object') return shownObject(name, value)
  if (name === 'protocolFeeBps') return `${Number(value) / 100} %`
  if (name === 'sponsoredGas') return value ? 'sponsored' : 'deducted'
  if (/chainId$/i.test(name) && typeof value === 'number' && isChainId(value)) return chainName(chainKeyOf(value))
  if (/ChainKey$/.test(name) && typeof value === 'string') return chainName(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && isTime(name)) return exact(value)
  if (typeof value === 'number' && /Seconds$/.test(name)) return value === 0 ? 'none' : brief(value * 1_000)
  if (typeof value === 'number') return grouped(value)
  const text = String(value)
  if (text.startsWith('0x')) return short(text)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? exact(Date.parse(text)) : text
}

/** Times that the log stores in milliseconds. Names of counts have other endings. */
const isTime = (name: string): boolean => /^(since|until)$|At$/.test(name)

function shownObject(name: string, value: object): string {
  if ('from' in value && 'to' in value) return `${shown(name, value.from)} → ${shown(name, value.to)}`
  if (Array.isArray(value)) return value.map((each) => shown(name, each)).join(', ') || 'none'
  return detailsText(value as Record<string, unknown>) || 'none'
}
