import { Failure } from '../../src/cli/terminal/failure'

type BenchOptions = {
  /** A commit to compare with: each measurement runs in a checkout of it too, in turn. */
  against?: string
  rounds: number
}

/** Runs the named measurements of `bench/`, or all, one at a time. */
export async function bench(names: string[], { against, rounds }: BenchOptions): Promise<void> {
  const { measurements } = await import('../../bench/measurements')
  const unknown = names.find((name) => !Object.hasOwn(measurements, name))
  if (unknown) throw new Failure(`No measurement ${unknown}; there are ${Object.keys(measurements).join(', ')}.`)
  const chosen = Object.entries(measurements).filter(([name]) => names.length === 0 || names.includes(name))
  if (against !== undefined) {
    const compare = await import('../../bench/against')
    const compared = chosen.map(([name]) => name)
    for (const line of await compare.against(compared, against, rounds)) console.log(line)
    return
  }
  for (const [, measure] of chosen) for (const line of await measure()) console.log(line)
}
