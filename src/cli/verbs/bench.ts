import { join } from 'node:path'
import { Failure } from '../terminal/failure'

const root = join(import.meta.dir, '..', '..', '..')
const benches = join(root, 'bench')

type BenchOptions = {
  /** A commit to compare with: each measurement runs in a checkout of it too, in turn. */
  against?: string
  rounds: number
}

/** Runs the named measurements of `bench/`, or all, one at a time. */
export async function bench(names: string[], { against, rounds }: BenchOptions): Promise<void> {
  const { measurements } = (await import(
    join(benches, 'measurements.ts')
  )) as typeof import('../../../bench/measurements')
  const unknown = names.find((name) => !Object.hasOwn(measurements, name))
  if (unknown) throw new Failure(`No measurement ${unknown}; there are ${Object.keys(measurements).join(', ')}.`)
  const chosen = Object.entries(measurements).filter(([name]) => names.length === 0 || names.includes(name))
  if (against !== undefined) {
    const compare = (await import(join(benches, 'against.ts'))) as typeof import('../../../bench/against')
    for (const line of await compare.against(
      chosen.map(([name]) => name),
      against,
      rounds,
    ))
      console.log(line)
    return
  }
  for (const [, measure] of chosen) for (const line of await measure()) console.log(line)
}
