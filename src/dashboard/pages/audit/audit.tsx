import { Button, Select } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { auditVerbs } from '../../../domain/tenant/audit-verb'
import type { KeyView } from '../../../http/dashboard/key-views'
import type { MemberView } from '../../../http/dashboard/members'
import type { AuditEntryView } from '../../../http/operator/audit'
import { askFor, queryOf } from '../../data/api'
import { shortId } from '../../data/format'
import { choicesOf } from '../../data/read'
import { useHere } from '../../data/session'
import { Tenant, useTenantName } from '../../data/tenant'
import { useFilters } from '../../data/use-filters'
import { useRead } from '../../data/use-read'
import { Filters } from '../../lists/filters'
import { OrderFilter, orderOf } from '../../lists/order-filter'
import { periodOf } from '../../lists/period'
import { PeriodFilter } from '../../lists/period-filter'
import { Hash } from '../../ui/hash'
import { ListView, rowsOf, SkipToList } from '../../ui/list-view'
import { Empty, Page } from '../../ui/parts'
import { Ago } from '../../ui/time'
import { scopeName } from '../operations/pause-scopes'
import { detailsText } from './audit-details'
import { AuditExport, AuditHead } from './audit-export'
import { verbWord } from './audit-words'

type Entry = typeof AuditEntryView.infer
const noEntries: readonly Entry[] = []

const verbOptions = auditVerbs
  .map((verb) => ({ value: verb as string, label: verbWord(verb) }))
  .toSorted((a, b) => (a.label < b.label ? -1 : 1))

/** The audit log. Each entry is written before the action, and none can be changed. */
export default function Audit() {
  const { organization } = useHere()
  const { parameters, choose } = useFilters()
  const names = useNames()
  const [verb, actor] = ['verb', 'actor'].map((name) => parameters.get(name))
  const period = periodOf(parameters)
  const order = orderOf(parameters)
  const list = useInfiniteQuery({
    queryKey: ['audit', organization.id, verb, actor, period, order],
    initialPageParam: `/app/api/operator/audit${queryOf({ verb, actor, ...period, order, limit: 50 })}`,
    queryFn: ({ pageParam }) => askFor<Entry[]>(pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const isFiltered = parameters.size > 0
  return (
    <Page
      title="Audit log"
      lead="Who did what, when and why. Each entry is written before the action and linked to the entry before it."
      actions={<AuditExport />}
    >
      <SkipToList />
      <AuditFilters actors={actorOptions(names, rowsOf<Entry>(list) ?? noEntries)} />
      <ListView
        list={list}
        label="Audit log"
        bones={{ rows: 7 }}
        kind="folds says is-audit"
        heads={['When', 'Who', 'What', 'Target', 'Reason and details']}
        empty={
          <Empty icon="history" title={isFiltered ? 'No entry matches' : 'No entries yet'}>
            {isFiltered && (
              <Button variant="default" size="sm" onClick={() => choose('')}>
                Clear filters
              </Button>
            )}
          </Empty>
        }
      >
        {(entry) => <EntryRow key={entry.id} entry={entry} nameOf={(id) => names.get(id)} />}
      </ListView>
      <AuditHead />
    </Page>
  )
}

type FilterProps = { actors: { value: string; label: string }[] }
function AuditFilters({ actors }: FilterProps) {
  const { parameters, put } = useFilters()
  const [verb, actor] = ['verb', 'actor'].map((name) => parameters.get(name))
  return (
    <Filters label="Filter the audit log" kind="is-four">
      <Select
        label="What"
        placeholder="Any action"
        data={verbOptions}
        value={verb ?? null}
        onChange={(value) => put('verb', value)}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Clear what' }}
      />
      <Select
        label="Who"
        placeholder="Anyone"
        data={actors}
        value={actor ?? null}
        onChange={(value) => put('actor', value)}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Clear who' }}
      />
      <PeriodFilter label="When" />
      <OrderFilter />
    </Filters>
  )
}

type RowProps = { entry: Entry; nameOf: (id: string) => string | undefined }
function EntryRow({ entry, nameOf }: RowProps) {
  const { at, actor, verb, reason, details, organizationId } = entry
  // Details shown in another column are left out: the person's e-mail address, and the key that acted.
  const others = Object.entries(details).filter(
    ([name, value]) => value !== actor.id && !(name === 'email' && isOfPerson(verb)),
  )
  const said = detailsText(Object.fromEntries(others))
  return (
    <tr>
      <td>
        <Ago at={at} />
      </td>
      <td className="cut" title={actor.label}>
        {actor.label}
        <Tenant id={organizationId} />
      </td>
      <td className="strong" title={verb} style={{ minWidth: 130 }}>
        {verbWord(verb)}
      </td>
      <td className="cut" title={entry.target}>
        <Target entry={entry} nameOf={nameOf} />
      </td>
      <td className="small whole wrap">
        {reason && <div>{reason}</div>}
        {said && <span className="sub">{said}</span>}
      </td>
    </tr>
  )
}

const isOfPerson = (verb: string): boolean => verb.startsWith('person.')

/** The target of the action, by its name if known, else by its id. */
function Target({ entry: { verb, target, actor, details }, nameOf }: RowProps) {
  const tenantName = useTenantName()
  if (verb.startsWith('execution.'))
    return (
      <Link href={`/executions/${encodeURIComponent(target)}`}>
        <Hash value={target} kind="execution" shown={shortId(target)} />
      </Link>
    )
  if (verb.startsWith('pause.')) return scopeName(target, tenantName)
  if (isOfPerson(verb))
    return target === actor.id ? (
      <span className="sub">own account</span>
    ) : (
      String((details as { email?: string }).email ?? nameOf(target))
    )
  if (verb.startsWith('organization.')) return tenantName(target)
  if (target.includes('@')) return target
  return nameOf(target) ?? <Hash value={target} kind="" shown={shortId(target)} />
}

/** Returns the members by address and the keys by label. */
function useNames(): ReadonlyMap<string, string> {
  const members = useRead<MemberView[]>(['members'], '/members')
  const keys = useRead<KeyView[]>(['keys'], '/keys')
  return new Map([
    ...choicesOf(members).map(({ personId, email }) => [personId, email] as const),
    ...choicesOf(keys).map(({ id, label }) => [id, `Key ${label}`] as const),
  ])
}

/** Returns the actors to filter by: the members, the keys, and all actors in the rows. */
function actorOptions(names: ReadonlyMap<string, string>, entries: readonly Entry[]) {
  const labels = new Map(names)
  for (const { actor } of entries) if (!labels.has(actor.id)) labels.set(actor.id, actor.label)
  return [...labels].map(([value, label]) => ({ value, label })).toSorted((a, b) => (a.label < b.label ? -1 : 1))
}
