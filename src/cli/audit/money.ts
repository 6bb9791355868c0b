import { formatUnits } from 'viem'
import type { AuditReport } from '../../app/audit/audit'
import { auditInstallation } from '../../app/audit/installation'
import { isNative } from '../../domain/money/token'
import { databaseUrl } from '../installation/database'
import { readDevnetFile } from '../installation/devnet-file'
import { Failure, messageOf } from '../terminal/failure'
import { table, tableOr } from '../terminal/table'

type Row = AuditReport['rows'][number]
type Amount = Exclude<keyof Row, 'chain' | 'token' | 'symbol' | 'decimals' | 'lanes' | 'behind'>

/** The columns of the table. A column without amounts is not shown. */
const columns: Record<Amount, string> = {
  receivedRaw: 'received',
  deliveredRaw: 'delivered',
  mintedRaw: 'minted',
  refundedRaw: 'refunded',
  feesRaw: 'fees',
  inFlightRaw: 'in flight',
  returnedRaw: 'sent back',
  strandedRaw: 'stranded',
  recoveredRaw: 'recovered',
  openRaw: 'open',
  leftBehindRaw: 'left behind',
  unsupportedRaw: 'unsupported',
  dustRaw: 'dust',
  laterRaw: 'later',
  unexplainedRaw: 'unexplained',
  roundedRaw: 'rounding',
}
const names = Object.keys(columns) as Amount[]

/** Exit codes of the audit. */
const codes = { explained: 0, unexplained: 1, unread: 2 } as const

/**
 * Explains every unit of the installation that the environment describes, or of the demo.
 *
 * @returns 0 if everything is explained, 1 if something is not, and 2 if a chain or the database could not be read.
 */
export async function auditMoney({ json }: { json?: true }): Promise<number> {
  let report: AuditReport
  try {
    report = await auditInstallation(environment(), (accounts, of) => {
      if (!json && process.stderr.isTTY) process.stderr.write(`\r${accounts} of ${of} accounts`)
    })
  } catch (error) {
    console.error(messageOf(error))
    return codes.unread
  }
  const code = codeOf(report)
  console.log(json ? JSON.stringify(jsonOf(report, code), null, 2) : textOf(report))
  return code
}

/** Returns the exit code of a report. Something unexplained is more urgent than a chain that was not read. */
function codeOf({ unexplained, chains }: AuditReport): number {
  if (unexplained.length > 0) return codes.unexplained
  return chains.some(({ reason }) => reason !== null) ? codes.unread : codes.explained
}

/** Returns the service's variables, or those of the demo if none is set. The two are never mixed. */
function environment(): Record<string, string | undefined> {
  const given = ['MONGODB_URL', 'MONGODB_URL_FILE', 'ROUTE_EXECUTOR_ADDRESS']
  if (given.some((name) => process.env[name])) return process.env
  const { settings } = readDevnetFile()
  if (!settings) throw new Failure('This demo was started by an earlier release: restart it.')
  return { ...settings, MONGODB_URL: databaseUrl() }
}

const amountText = (raw: bigint, decimals: number | null): string =>
  decimals === null ? String(raw) : formatUnits(raw, decimals)

const tokenText = ({ symbol, token }: Pick<Row, 'symbol' | 'token'>): string =>
  symbol || (isNative(token) ? 'native' : token)

export function textOf(report: AuditReport): string {
  const { chains, unexplained, accounts, records } = report
  // Rows of unlisted tokens alone are left out: anyone can create and send such tokens.
  const rows = report.rows.filter((row) => row.receivedRaw !== row.unsupportedRaw || row.unexplainedRaw !== 0n)
  const unlisted = report.rows.filter((row) => row.unsupportedRaw > 0n).length
  const amounts = names.filter((name) => rows.some((row) => row[name] !== 0n))
  const head = ['chain', 'token', ...amounts.map((name) => columns[name])]
  const lines = rows.map((row) => [
    row.chain,
    tokenText(row),
    ...amounts.map((name) => amountText(row[name], row.decimals)),
  ])
  const decimalsOf = ({ chain, token }: Pick<Row, 'chain' | 'token'>) =>
    rows.find((row) => row.chain === chain && row.token.toLowerCase() === token.toLowerCase())
  const behind = rows.flatMap((row) =>
    [...row.behind].flatMap(([status, raw]) =>
      raw === 0n ? [] : [[row.chain, tokenText(row), status, amountText(raw, row.decimals)]],
    ),
  )
  const collected = report.collectors.map(({ chain, collector, token, ...row }) => {
    const like = decimalsOf({ chain, token })
    const of = (raw: bigint | null) => (raw === null ? '-' : amountText(raw, like?.decimals ?? null))
    return [chain, collector, like ? tokenText(like) : token, of(row.feesRaw), of(row.otherRaw), of(row.outRaw)]
  })
  const relayed = report.relayers.map(({ chain, relayer, routes, nativeFeesRaw, nonces, balanceRaw }) => [
    ...[chain, relayer, String(routes), formatUnits(nativeFeesRaw, 18), String(nonces ?? '-')],
    balanceRaw === null ? '-' : formatUnits(balanceRaw, 18),
  ])
  return [
    ...chains.map(({ chain, block, blockHash, reason }) =>
      reason === null ? `${chain}: block ${block} ${blockHash}` : `${chain}: not audited (${reason})`,
    ),
    `${accounts} accounts, ${records} executions.`,
    '',
    tableOr('No deposit was received.', head, lines),
    ...(unlisted > 0
      ? [`Also transfers of ${unlisted} unlisted ${unlisted === 1 ? 'token' : 'tokens'} (--json).`]
      : []),
    ...(behind.length > 0 ? ['', table(['chain', 'token', 'left behind with', 'amount'], behind)] : []),
    ...(collected.length > 0
      ? ['', table(['chain', 'collector', 'token', 'fees', 'from elsewhere', 'paid out'], collected)]
      : []),
    ...(relayed.length > 0
      ? ['', table(['chain', 'relayer', 'routes', 'native fees', 'transactions', 'balance'], relayed)]
      : []),
    ...unexplained.flatMap(unexplainedText),
    '',
    endText(report),
  ].join('\n')
}

const unexplainedText = ({ kind, chain, address, token, faults, history }: AuditReport['unexplained'][number]) => [
  '',
  `✗ ${kind.toLowerCase()} ${address} on ${chain}${token ? `, token ${token}` : ''}`,
  ...faults.map((fault) => `  ${fault}`),
  ...history.map((entry) =>
    [`    block ${entry.block}`, entry.what, entry.amountRaw, entry.txHash, entry.id].filter(Boolean).join('  '),
  ),
]

function endText({ unexplained, chains }: AuditReport): string {
  const unread = chains.filter(({ reason }) => reason !== null).length
  const rest = unread > 0 ? ` ${unread} of ${chains.length} chains were not audited.` : ''
  return unexplained.length > 0
    ? `${unexplained.length} ${unexplained.length === 1 ? 'is' : 'are'} not explained.${rest}`
    : `Every unit is explained.${rest}`
}

/** Amounts are decimal strings in atomic units. */
function jsonOf(report: AuditReport, exitCode: number) {
  const text = (raw: bigint | null) => (raw === null ? null : String(raw))
  return {
    exitCode,
    chains: report.chains,
    accounts: report.accounts,
    executions: report.records,
    rows: report.rows.map((row) => ({
      chain: row.chain,
      token: row.token,
      symbol: row.symbol || null,
      decimals: row.decimals,
      accounts: row.lanes,
      ...Object.fromEntries(names.map((name) => [name.slice(0, -'Raw'.length), text(row[name])])),
      leftBehindByStatus: Object.fromEntries([...row.behind].map(([status, raw]) => [status, text(raw)])),
    })),
    collectors: report.collectors.map(({ chain, collector, token, feesRaw, otherRaw, outRaw, heldRaw }) => ({
      ...{ chain, collector, token, fees: text(feesRaw), fromElsewhere: text(otherRaw) },
      ...{ paidOut: text(outRaw), balance: text(heldRaw) },
    })),
    relayers: report.relayers.map(({ chain, relayer, routes, nativeFeesRaw, nonces, balanceRaw }) => ({
      ...{ chain, relayer, routes, nativeFees: text(nativeFeesRaw), transactions: nonces, balance: text(balanceRaw) },
    })),
    unexplained: report.unexplained,
  }
}
