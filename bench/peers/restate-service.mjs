// Restate: each account is an object and each step a run, whose result the server journals before the next step.
import { required } from './phases.mjs'
import { confirm, price, quote, sign } from './steps.mjs'

const restate = required('@restatedev/restate-sdk')
const carried = async (context, data) => {
  const found = {}
  for (const [name, step] of Object.entries({ quote, price, sign, confirm }))
    found[name] = await context.run(name, () => step(data))
  context.set('status', found.confirm)
  return found.confirm
}
restate.serve({
  services: [restate.object({ name: 'deposits', handlers: { carried } })],
  port: Number(process.env['BENCH_SERVICE_PORT']),
})
