// Replays the history of an execution, read from the input, against the machine of this checkout.
import { text } from 'node:stream/consumers'
import { retry } from '../../src/domain/execution/retry'
import { lifecycle } from '../../src/routing/engine/lifecycle'

const { transitions } = lifecycle(retry)
const { history } = JSON.parse(await text(process.stdin))
let before
for (const { seq, at, event, from, to, note } of history) {
  const isTransition = transitions.some((one) => one.from === from && one.event === event && one.to === to)
  const waitedMs = before ? Date.parse(at) - Date.parse(before) : 0
  const isAllowed = from === null || from === to || isTransition
  console.log(isAllowed ? 'ok ' : '???', seq, `+${waitedMs} ms`, `${from} -- ${event} --> ${to}`, note ?? '')
  before = at
}
