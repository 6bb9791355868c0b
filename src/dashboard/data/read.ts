/** What a query of the server has returned so far. Every result of `useQuery` fits. */
export type Read<Value> = {
  data: Value | undefined
  error: unknown
  isPending: boolean
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => Promise<unknown>
}

type Reads = readonly Read<unknown>[]
type Values<Each extends Reads> = { [Key in keyof Each]: Each[Key] extends Read<infer Value> ? Value : never }

/** Joins queries that one figure needs. It has a value once all have, as old as the oldest. */
export function allOf<const Each extends Reads>(...reads: Each): Read<Values<Each>> {
  const failed = reads.filter(({ error }) => error)
  const hasAll = reads.every(({ data }) => data !== undefined)
  return {
    data: hasAll ? (reads.map(({ data }) => data) as Values<Each>) : undefined,
    error: failed[0]?.error ?? null,
    isPending: failed.length === 0 && !hasAll,
    isFetching: reads.some(({ isFetching }) => isFetching),
    dataUpdatedAt: Math.min(...reads.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => Promise.all(failed.map((each) => each.refetch())),
  }
}

/**
 * Reads a name, an option or a button's condition that is left out until it is known. Never use it for a figure or a
 * statement: `Known` and `Figure` show those with their loading and failed states.
 */
export const ifKnown = <Value, Part>({ data }: Pick<Read<Value>, 'data'>, part: (value: Value) => Part) =>
  data === undefined ? undefined : part(data)

/** The rows to choose or name something by; none until they are known. Not for lists that are shown. */
export const choicesOf = <Row>({ data }: Pick<Read<readonly Row[]>, 'data'>): readonly Row[] =>
  data === undefined ? [] : data

/** A value that is being fetched again is called old from this age on. */
const oldMs = 90_000

/** Whether a known value may be out of date: the last fetch failed, or a fetch is late. */
export const isStale = ({ data, error, isFetching, dataUpdatedAt }: Read<unknown>, now: number): boolean =>
  data !== undefined && (Boolean(error) || (isFetching && now - dataUpdatedAt > oldMs))
