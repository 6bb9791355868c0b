// BullMQ: each deposit is a job, and the result of each step is stored in the job before the next step runs.
import { measure, required } from './phases.mjs'
import { confirm, deposit, price, quote, sign } from './steps.mjs'

const { Queue, Worker } = required('bullmq')
const connection = { host: '127.0.0.1', port: Number(process.env['BENCH_PORT']), maxRetriesPerRequest: null }
const queue = new Queue('deposits', { connection })
const waiting = new Map()

const carry = async (job) => {
  let data = job.data
  for (const [name, step] of Object.entries({ quote, price, sign })) {
    if (data[name]) continue
    data = { ...data, [name]: step(data) }
    await job.updateData(data)
  }
  return confirm(data)
}
const worker = new Worker('deposits', carry, { connection, concurrency: 256 })
worker.on('completed', ({ id }) => waiting.get(id)?.())
worker.on('error', (error) => console.error(error))
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])

await measure(async (n) => {
  const jobId = `d${n}`
  const ended = new Promise((resolve) => waiting.set(jobId, resolve))
  await queue.add('deposit', deposit(n), { jobId, attempts: 10 })
  await ended
  waiting.delete(jobId)
})
