import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Driven, drive, type Phase } from './engine/drive.mjs'
import { driven, installed, peers } from './engine/peers'
import { ownEngine } from './engine/switchyard'
import { percentile } from './rig'

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 2)
const count = Number(process.env['BENCH_WORKFLOWS'] ?? 4_000)
const [few, many] = [1_000, Number(process.env['BENCH_ROWS'] ?? 20_000)]
const [atOnce, perSecond] = [256, 50]
const pacedSeconds = 10
const stride = 100_000

const phasesOf = (round: number): Phase[] => [
  { first: round * stride, count: 500, atOnce: 64 },
  { first: round * stride + 1_000, count, atOnce },
  { first: round * stride + 50_000, count: pacedSeconds * perSecond, perSecond },
]

const say = (line: string): void => console.log(`  ${line}`)

/** Runs the same durable workflow of five steps on this engine and on others, each once per round. */
export async function engine(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const measured = new Map<string, { setUp: string; full: Driven[]; paced: Driven[] }>()
  const missing = new Map<string, string>()
  const note = (name: string, setUp: string, [, full, paced]: Driven[]) => {
    const before = measured.get(name) ?? { setUp, full: [], paced: [] }
    measured.set(name, { ...before, full: [...before.full, full!], paced: [...before.paced, paced!] })
    say(
      `${name}: ${full!.perSecond.toFixed(0)} a second; at ${perSecond} a second half within ${paced!.p50.toFixed(1)} ms`,
    )
  }
  try {
    const packages = await installed().catch((error: Error) => {
      for (const { name } of peers) missing.set(name, error.message)
      return null
    })
    for (let round = 0; round < rounds; round++) {
      await onOwn(async ({ kind, carry }) => {
        const answers: Driven[] = []
        for (const phase of phasesOf(round)) answers.push(await drive(carry, phase))
        note('Switchyard', `the engine of this checkout on ${kind}, one process, Bun ${Bun.version}`, answers)
      })
      for (const peer of peers.filter(({ name }) => packages && !missing.has(name)))
        await driven(peer, packages!, join(dir, `${peer.name}-${round}`), phasesOf(round)).then(
          ({ setUp, answers }) => note(peer.name, setUp, answers),
          (error: Error) => void missing.set(peer.name, error.message),
        )
    }
    const own = measured.get('Switchyard')!
    return [
      `five durable steps, ${rounds} rounds in turn, medians; load of the machine ${loadavg()[0]!.toFixed(1)}`,
      ...[...measured.values()].map(({ setUp }) => `  ${setUp}`),
      ...[...missing].map(([name, why]) => `  ${name} could not be measured: ${why.split('\n')[0]}`),
      `  ${''.padEnd(11)} ${atOnce} in flight: per second   p50 ms   p99 ms   CPU ms each   at ${perSecond}/s: p50 ms   p99 ms`,
      ...[...measured].map(([name, { full, paced }]) => {
        const [rate, times] = [of(full, 'perSecond'), of(own.full, 'perSecond') / of(full, 'perSecond')]
        const columns = [
          rate.toFixed(0).padStart(24),
          of(full, 'p50').toFixed(0).padStart(8),
          of(full, 'p99').toFixed(0).padStart(8),
          of(full, 'cpuMs').toFixed(2).padStart(13),
          of(paced, 'p50').toFixed(1).padStart(17),
          of(paced, 'p99').toFixed(1).padStart(8),
          name === 'Switchyard' ? '' : `   we are ${times.toFixed(2)}x`,
        ]
        return `  ${name.padEnd(11)} ${columns.join(' ')}${failuresOf([...full, ...paced])}`
      }),
      `  of our CPU: ${spread(own.full)}`,
      ...(await sizes()),
    ]
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

type Figure = 'perSecond' | 'p50' | 'p99' | 'cpuMs'
const of = (all: readonly Driven[], name: Figure): number =>
  percentile(
    all.map((one) => one[name]),
    0.5,
  )

const failuresOf = (all: readonly Driven[]): string => {
  const errors = all.reduce((sum, one) => sum + one.errors, 0)
  return errors === 0 ? '' : `   ${errors} failed: ${all.find(({ error }) => error)?.error}`
}

function spread(all: readonly Driven[]): string {
  const shares = Object.entries(all.at(-1)!.cpuBy).filter(([, ms]) => ms >= 0.01)
  return shares.map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join(', ')
}

/** Runs this engine with few and with very many ended executions in its database. */
const sizes = (): Promise<string[]> =>
  onOwn(async ({ carry, fill }) => {
    const lines: string[] = []
    const beyond = 2 * many + rounds * stride
    let stored = 0
    for (const [n, size] of [few, many].entries()) {
      await fill(stored, size)
      stored = size
      await drive(carry, { first: beyond + n * stride, count: 500, atOnce: 64 })
      const full = await drive(carry, { first: beyond + n * stride + 1_000, count, atOnce })
      const paced = await drive(carry, { first: beyond + n * stride + 50_000, count: 500, perSecond })
      lines.push(
        `  with ${size.toLocaleString('en')} stored: ${full.perSecond.toFixed(0)} per second, ` +
          `${full.cpuMs.toFixed(2)} ms CPU each; at ${perSecond}/s p50 ${paced.p50.toFixed(1)} ms`,
      )
    }
    return lines
  })

type Own = Awaited<ReturnType<typeof ownEngine>>

async function onOwn<Result>(measure: (own: Own) => Promise<Result>): Promise<Result> {
  const own = await ownEngine()
  try {
    const result = await measure(own)
    if (own.troubles.length > 0) throw own.troubles[0]
    return result
  } finally {
    await own.stop()
  }
}

if (import.meta.main) for (const line of await engine()) console.log(line)
