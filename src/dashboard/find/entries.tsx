import type { ReactNode } from 'react'
import { queryOf } from '../data/api'
import { amount, chainName, short } from '../data/format'
import { useTenantName } from '../data/tenant'
import type { Search } from '../data/types'
import type { IconName } from '../ui/icon'
import { Stage, Status } from '../ui/status'
import { Ago } from '../ui/time'
import { resultsMax } from './use-search'

/** One result: its target and its appearance. */
export type Entry = { key: string; icon: IconName; label: ReactNode; more?: ReactNode } & Target
/** A page to open, or something to do. */
export type Target = { path: string; act?: never } | { act: () => void; path?: never }

function depositEntry(row: Search['deposits'][number]): Entry {
  const { id, stage, userId, organizationId, fromChainKey, createdAt } = row
  return {
    key: `deposit ${id}`,
    icon: 'inbox',
    label: `${amount(row.amountIn, row.fromTokenDecimals, 4)} ${row.fromTokenSymbol} on ${chainName(fromChainKey)}`,
    more: <More pill={<Stage stage={stage} />} at={createdAt} user={userId} whose={organizationId} />,
    path: `/deposits/${encodeURIComponent(id)}`,
  }
}

function executionEntry(row: Search['executions'][number]): Entry {
  const { id, status, userId, organizationId, fromChainKey, toChainKey, createdAt } = row
  const what = `${amount(row.amountIn, row.fromTokenDecimals, 4)} ${row.fromTokenSymbol}`
  return {
    key: `execution ${id}`,
    icon: 'list',
    label: `${what}, ${chainName(fromChainKey)} → ${chainName(toChainKey)}`,
    more: <More pill={<Status status={status} />} at={createdAt} user={userId} whose={organizationId} />,
    path: `/executions/${encodeURIComponent(id)}`,
  }
}

const userEntry = ({ userId, depositAddress, organizationId }: Search['users'][number]): Entry => ({
  key: `user ${depositAddress}`,
  icon: 'person',
  label: userId,
  more: (
    <span className="sub tiny">
      user · {short(depositAddress)}
      <Whose id={organizationId} />
    </span>
  ),
  path: `/deposits${queryOf({ q: userId })}`,
})

const tokenEntry = (symbol: string, text: string): Entry => ({
  key: 'token',
  icon: 'list',
  label: `Executions of ${symbol}`,
  path: `/executions${queryOf({ token: text })}`,
})

const furtherEntry = (text: string): Entry => ({
  key: 'all',
  icon: 'search',
  label: 'Show all matching deposits',
  path: `/deposits${queryOf({ q: text })}`,
})

/** Whether more might match than a search returns. */
const isFull = ({ deposits, executions }: Search): boolean => Math.max(deposits.length, executions.length) >= resultsMax
/** Whether the list of deposits can be searched for the text: for a hash, an address or a whole user, but no amount. */
const isListed = ({ kind, text, users }: Search): boolean =>
  kind !== 'USER' || users.some(({ userId }) => userId.toLowerCase() === text.toLowerCase())
/** Whether matches are missing that no list shows. */
export const isCut = (search: Search): boolean => isFull(search) && !isListed(search)

/** Returns the results of a search. A deposit is listed once, as its execution if it has one. */
export function entriesOf(search: Search): Entry[] {
  const { text, users, tokenSymbol, deposits, executions } = search
  const routed = new Set(executions.map(({ id }) => id))
  const alone = deposits.filter(({ executionId }) => executionId === null || !routed.has(executionId))
  return [
    ...alone.map(depositEntry),
    ...executions.map(executionEntry),
    ...users.map(userEntry),
    ...(tokenSymbol === null ? [] : [tokenEntry(tokenSymbol, text)]),
    ...(isFull(search) && isListed(search) ? [furtherEntry(text)] : []),
  ]
}

/** The organization's name, on the platform's pages only. */
function Whose({ id }: { id: string | undefined }) {
  const nameOf = useTenantName()
  return id === undefined ? null : <> · {nameOf(id)}</>
}

type Further = { pill: ReactNode; at: string; user: string; whose: string | undefined }

const More = ({ pill, at, user, whose }: Further) => (
  <>
    <span className="sub tiny">
      {user}
      <Whose id={whose} /> · <Ago at={at} />
    </span>
    {pill}
  </>
)
