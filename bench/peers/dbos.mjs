// DBOS: each deposit is a workflow, and the result of each step is a row in PostgreSQL before the next step runs.
import { measure, required } from './phases.mjs'
import { confirm, deposit, price, quote, sign } from './steps.mjs'

const { DBOS } = required('@dbos-inc/dbos-sdk')
const { Client } = required('pg')
const url = new URL(process.env['BENCH_POSTGRES_URL'])
const client = new Client(url.href)
await client.connect()
await client.query('create database dbos_bench')
await client.end()
url.pathname = '/dbos_bench'

async function carried(data) {
  for (const [name, step] of Object.entries({ quote, price, sign, confirm }))
    await DBOS.runStep(async () => step(data), { name })
  return 'SUCCESS'
}
const workflow = DBOS.registerWorkflow(carried, { name: 'deposit' })
DBOS.setConfig({
  ...{ name: 'bench', applicationVersion: '1', systemDatabaseUrl: url.href, systemDatabasePoolSize: 20 },
  ...{ logLevel: 'error', runAdminServer: false },
})
await DBOS.launch()

await measure(async (n) => {
  const handle = await DBOS.startWorkflow(workflow, { workflowID: `d${n}` })(deposit(n))
  await handle.getResult()
})
