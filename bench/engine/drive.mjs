// This is plain JavaScript because the drivers of the other engines run it on Node, and ours on Bun.
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
const root = Number(process.env['BENCH_ROOT'] ?? process.pid)

/** Processor time in milliseconds of everything that the measurement has started, by program name. */
export function cpuMs() {
  const processes = new Map()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      // This includes children that have ended. Living ones are counted separately.
      const ticks = fields[11] + fields[12] + fields[13] + fields[14]
      processes.set(Number(pid), { parent: fields[1], name, ms: (ticks * 1_000) / ticksPerSecond })
    } catch {
      // The process has ended in the meantime.
    }
  }
  const isOurs = (pid) => pid === root || (processes.has(pid) && isOurs(processes.get(pid).parent))
  const byName = {}
  for (const [pid, { name, ms }] of processes) if (isOurs(pid)) byName[name] = (byName[name] ?? 0) + ms
  return byName
}

export const percentile = (values, share) => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs `count` workflows, at most `atOnce` at a time, or starts `perSecond` of them regardless of how many are running.
 * `carry` resolves when its workflow has ended.
 */
export async function drive(carry, { first, count, atOnce, perSecond }) {
  const before = cpuMs()
  const tookMs = []
  const errors = []
  const startedAt = performance.now()
  let lastAt = startedAt
  const one = async (n) => {
    const sentAt = performance.now()
    try {
      await carry(first + n)
      lastAt = performance.now()
      tookMs.push(lastAt - sentAt)
    } catch (error) {
      errors.push(String(error))
    }
  }
  if (perSecond) {
    const all = []
    for (let n = 0; n < count; n++) {
      const inMs = startedAt + (n * 1_000) / perSecond - performance.now()
      if (inMs > 0) await sleep(inMs)
      all.push(one(n))
    }
    await Promise.all(all)
  } else {
    let n = 0
    const next = async () => {
      while (n < count) await one(n++)
    }
    await Promise.all(Array.from({ length: atOnce }, next))
  }
  const used = {}
  for (const [name, ms] of Object.entries(cpuMs())) used[name] = (ms - (before[name] ?? 0)) / count
  const total = Object.values(used).reduce((sum, ms) => sum + ms, 0)
  return {
    ...{ perSecond: (tookMs.length * 1_000) / (lastAt - startedAt), p50: percentile(tookMs, 0.5) },
    ...{ p99: percentile(tookMs, 0.99), cpuMs: total, cpuBy: used, errors: errors.length, error: errors[0] },
  }
}
