import { join } from 'node:path'
import { Failure } from '../terminal/failure'

const root = join(import.meta.dir, '..', '..', '..')

/** Runs the named measurements of `bench/`, or all, one at a time. */
export async function bench(names: string[]): Promise<void> {
  const { measurements } = (await import(
    join(root, 'bench', 'measurements.ts')
  )) as typeof import('../../../bench/measurements')
  const unknown = names.find((name) => !Object.hasOwn(measurements, name))
  if (unknown) throw new Failure(`No measurement ${unknown}; there are ${Object.keys(measurements).join(', ')}.`)
  for (const [name, measure] of Object.entries(measurements)) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const line of await measure()) console.log(line)
  }
}
