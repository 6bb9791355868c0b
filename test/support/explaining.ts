import type { Connection } from 'mongoose'

type Command = Record<string, unknown>
type Sent = { commandName: string; command: Command }
type Write = { q: Command }

/** A query's plan: its collection, its indexes, and whether it scans every row. */
export type Plan = { asked: string; collection: string; indexes: string[]; isScan: boolean }

const session = ['lsid', '$db', '$clusterTime', 'txnNumber', '$readPreference', 'readConcern', 'writeConcern']

/** A write's filter is explained as a query. */
function questionsOf({ commandName, command }: Sent): Command[] {
  const bare = Object.fromEntries(Object.entries(command).filter(([name]) => !session.includes(name)))
  const finds = (writes: unknown) => (writes as Write[]).map(({ q }) => ({ find: command[commandName], filter: q }))
  switch (commandName) {
    case 'find':
    case 'aggregate':
    case 'count':
    case 'distinct':
      return [bare]
    case 'findAndModify':
      return [{ find: command['findAndModify'], filter: command['query'] }]
    case 'update':
      return finds(command['updates'])
    case 'delete':
      return finds(command['deletes'])
    default:
      return []
  }
}

/** DocumentDB returns PostgreSQL's plan, and MongoDB its own. Yields the nodes of either. */
function* nodesOf(plan: unknown): Generator<Record<string, unknown>> {
  if (plan === null || typeof plan !== 'object') return
  if (!Array.isArray(plan)) yield plan as Record<string, unknown>
  for (const [name, part] of Object.entries(plan))
    if (!['rejectedPlans', 'command', 'IndexCosts'].includes(name)) yield* nodesOf(part)
}

function planOf(question: Command, explained: unknown): Plan {
  const nodes = [...nodesOf(explained)]
  const stages = nodes.map((node) => node['Node Type'] ?? node['stage'])
  const named = nodes.map((node) => node['Index Name'] ?? node['indexName'])
  const indexes = [
    ...new Set([...named.filter((name) => typeof name === 'string'), ...(stages.includes('IDHACK') ? ['_id_'] : [])]),
  ]
  const isScan = stages.some((stage) => /Seq Scan|COLLSCAN/.test(String(stage)))
  return { asked: JSON.stringify(question), collection: String(Object.values(question)[0]), indexes, isScan }
}

/** Explains each query of a connection. The connection must be opened with `monitorCommands`. */
export function explaining(connection: Connection) {
  const sent: Sent[] = []
  connection.getClient().on('commandStarted', (event) => void sent.push(event))

  return async (ask: () => Promise<unknown>): Promise<Plan[]> => {
    sent.length = 0
    await ask()
    const questions = sent.splice(0).flatMap(questionsOf)
    const plans: Plan[] = []
    for (const question of questions) {
      const explained = await connection.db!.command({ explain: question, verbosity: 'queryPlanner' })
      plans.push(planOf(question, explained))
    }
    return plans
  }
}
