import { useQuery } from '@tanstack/react-query'
import type { NodeRequestsView } from '../../../http/dashboard/node-requests'
import { ask } from '../../data/api'
import { chainName, dayName, grouped, percent } from '../../data/format'
import { useHere } from '../../data/session'
import { BarPlot } from '../../ui/bar-plot'
import { Loaded } from '../../ui/loaded'
import { Card } from '../../ui/parts'
import { Table } from '../../ui/table'

type Chain = NodeRequestsView['chains'][number]

const methodsShown = 3
/** From this share of the budget, operators are alerted. */
const nearShare = 0.8

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const today = (values: readonly number[]): number => values.at(-1)!

/** The requests to the chains' nodes, which node providers charge for. */
export function Nodes() {
  const { organization } = useHere()
  const answer = useQuery({
    queryKey: ['node-requests', organization.id],
    queryFn: () => ask<NodeRequestsView>('/node-requests'),
    refetchInterval: 60_000,
  })
  return (
    <Card
      title="Requests to nodes"
      side={<span className="sub tiny">All processes, by UTC day; stored once a minute</span>}
    >
      <Loaded of={answer}>{(nodesAnswer) => <Shown answer={nodesAnswer} />}</Loaded>
    </Card>
  )
}

function Shown({ answer: { days, chains } }: { answer: NodeRequestsView }) {
  const total = days.map((_, n) => sum(chains.map(({ requests }) => requests[n]!)))
  const units = sum(chains.map(({ computeUnits }) => today(computeUnits)))
  return (
    <>
      <p className="sub">
        Today {grouped(today(total))} requests, which are {grouped(units)} of Alchemy’s compute units.
      </p>
      <BarPlot
        labels={days.map(dayName)}
        label={`Requests to nodes per day, today ${grouped(today(total))}`}
        series={[{ name: 'Requests', tone: 'info', values: total }]}
      />
      <Table
        label="Requests to nodes today"
        kind="folds dense"
        heads={['Chain', { right: 'Requests today' }, { right: 'Compute units' }, 'Budget', 'Most frequent']}
      >
        {chains.map((chain) => (
          <tr key={chain.chainKey}>
            <td>{chainName(chain.chainKey)}</td>
            <td className="right num to-left" data-label="Requests today">
              {grouped(today(chain.requests))}
            </td>
            <td className="right num to-left" data-label="Compute units">
              {grouped(today(chain.computeUnits))}
            </td>
            <td data-label="Budget">
              <Budget chain={chain} />
            </td>
            <td className="sub" data-label="Most frequent">
              {mostOf(chain)}
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}

function Budget({ chain: { budget, requests } }: { chain: Chain }) {
  if (budget === null) return <span className="sub">none</span>
  const share = today(requests) / budget
  const text = `${percent(today(requests), budget)} of ${grouped(budget)}`
  if (share >= 1) return <span className="pill t-bad">{text}: work that can wait runs less often</span>
  return share >= nearShare ? <span className="pill t-warn">{text}</span> : <span className="num">{text}</span>
}

const mostOf = ({ methods }: Chain): string =>
  methods.length === 0
    ? 'nothing yet'
    : methods
        .slice(0, methodsShown)
        .map(({ method, requests }) => `${method} ${grouped(requests)}`)
        .join(', ')
