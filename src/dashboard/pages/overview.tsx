import { useState } from 'react'
import { Link } from 'wouter'
import { grouped, percent } from '../data/format'
import { allOf, ifLoaded, type QueryState } from '../data/read'
import { useHere } from '../data/session'
import {
  beforehand,
  countOf,
  inFlight,
  isInFlight,
  listedBeforehand,
  needingAttention,
  type StateCount,
  useCounts,
  waitsForRetry,
} from '../live/counts'
import { useDwells } from '../live/dwells'
import { figuresOf } from '../machine/figures'
import { MachineMap } from '../machine/machine-map'
import type { Model } from '../machine/model'
import { useDirection } from '../machine/use-direction'
import { useModel } from '../machine/use-model'
import { Figure, Loaded, Unread } from '../ui/loaded'
import { Bones, Card, Note, Page, Tile } from '../ui/parts'
import { useNow } from '../ui/time'
import { attentionQuery } from './executions/execution-filter'
import { Latest } from './latest'
import { Now } from './now/now'
import { DayBars } from './usage/day-bars'
import { QuotaNote } from './usage/quota-note'

/** The first page: executions in flight, stuck executions with their age, and links to those that need action. */
export default function Overview() {
  const { organization } = useHere()
  const model = useModel()
  const counts = useCounts()
  const dwells = useDwells()
  const direction = useDirection()
  const [selected, setSelected] = useState<string | null>(null)
  const now = useNow()
  return (
    <Page
      title="Overview"
      lead={`Every deposit of ${organization.isPlatform ? 'all organizations' : organization.name}, as it happens.`}
    >
      <QuotaNote />
      {ifLoaded(counts, isEmpty) && (
        <Note>
          No deposits yet. <Link href="/start">Get started</Link> leads to the first one.
        </Note>
      )}
      <Now />
      <CountTiles of={allOf(counts, model)} />
      <div className={direction === 'down' ? 'beside' : 'stack page-gap'}>
        <Card
          title="Live map"
          side={ifLoaded(allOf(model, counts, dwells), () => (
            <span className="sub tiny">
              Amber: slower than 95 % of the last hour. Red: past its deadline. Final states count the last 24 hours.
              Choose a state to list its executions.
            </span>
          ))}
        >
          <Unread of={counts} />
          <Loaded of={model} bones={<Bones rows={6} height={34} />}>
            {(machine) => (
              <MachineMap
                model={machine}
                direction={direction}
                label="Executions by state"
                figures={figuresOf(machine, counts.data, dwells.data, now)}
                selected={selected}
                onSelect={(state) => setSelected(state === selected ? null : state)}
                isLive
              />
            )}
          </Loaded>
        </Card>
        <div className={direction === 'down' ? 'stack page-gap' : 'grid2'}>
          <Latest state={selected} model={model.data} onAll={() => setSelected(null)} />
          <DayBars />
        </div>
      </div>
    </Page>
  )
}

const isEmpty = (counts: readonly StateCount[]): boolean => countOf(counts, () => true) === 0

type TilesProps = { of: QueryState<readonly [readonly StateCount[], Model]> }
function CountTiles({ of }: TilesProps) {
  const tone = (isOn: (counts: readonly StateCount[]) => boolean, name: string) =>
    ifLoaded(of, ([counts]) => isOn(counts)) ? name : undefined
  const retrying = (counts: readonly StateCount[]) => countOf(counts, waitsForRetry)
  return (
    <div className="grid4">
      <Tile
        what="In flight"
        value={<Figure of={of}>{([counts]) => grouped(countOf(counts, isInFlight))}</Figure>}
        more={
          <>
            <Link className="nowrap" href={`/executions?status=${inFlight}`}>
              Executions in flight
            </Link>
            {ifLoaded(of, ([counts]) => (
              <NotSentYet count={listedBeforehand(counts)} />
            ))}
          </>
        }
      />
      <Tile
        what="Waiting for a retry"
        tone={tone((counts) => retrying(counts) > 0, 'warn')}
        value={<Figure of={of}>{([counts]) => grouped(retrying(counts))}</Figure>}
        more={<Link href="/executions?status=FAILED&order=oldest">Executions waiting</Link>}
      />
      <Tile
        what="Need attention"
        tone={tone((counts) => needingAttention(counts) > 0, 'bad')}
        value={<Figure of={of}>{([counts]) => grouped(needingAttention(counts))}</Figure>}
        more={<Link href={`/executions?${attentionQuery}&order=oldest`}>See who must act</Link>}
      />
      <Tile
        what="Succeeded in 24 hours"
        value={<Figure of={of}>{([counts]) => grouped(endedIn(counts, ['SUCCESS']))}</Figure>}
        more={ifLoaded(of, ([counts, { finals }]) => succeededWords(counts, finals))}
      />
    </div>
  )
}

/** Counts the executions that ended in these states in the last 24 hours. */
const endedIn = (counts: readonly StateCount[], states: readonly string[]): number =>
  counts.reduce((sum, { state, endedLastDay }) => sum + (states.includes(state) ? endedLastDay : 0), 0)

function succeededWords(counts: readonly StateCount[], finals: readonly string[]): string {
  const [succeeded, lost] = [endedIn(counts, ['SUCCESS']), endedIn(counts, finals)]
  return succeeded + lost === 0
    ? 'Nothing ended in the last 24 hours'
    : `${percent(succeeded, succeeded + lost)} of those that ended`
}

const NotSentYet = ({ count }: { count: number }) =>
  count > 0 && (
    <>
      {' · '}
      <Link className="nowrap" href={`/deposits?stage=${beforehand}`}>
        {grouped(count)} not sent yet
      </Link>
    </>
  )
