/** The state of a query to the server. Every result of `useQuery` fits. */
export type QueryState<Value> = {
  data: Value | undefined
  error: unknown
  isPending: boolean
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => Promise<unknown>
}

type Reads = readonly QueryState<unknown>[]
type Values<Each extends Reads> = { [Key in keyof Each]: Each[Key] extends QueryState<infer Value> ? Value : never }

/** Combines queries that one figure needs. It has a value once all have one, and the age of the oldest. */
export function allOf<const Each extends Reads>(...reads: Each): QueryState<Values<Each>> {
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
 * Returns part of a value, or nothing until it is loaded: for names, options and conditions of buttons. Show figures
 * and statements by `Loaded` and `Figure`, which have loading and failed states.
 */
export const ifLoaded = <Value, Part>({ data }: Pick<QueryState<Value>, 'data'>, part: (value: Value) => Part) =>
  data === undefined ? undefined : part(data)

/** Rows for choices and names; none until they are loaded. Not for displayed lists. */
export const choicesOf = <Row>({ data }: Pick<QueryState<readonly Row[]>, 'data'>): readonly Row[] =>
  data === undefined ? [] : data

/** Age from which a value that is being fetched again is marked as old. */
const oldMs = 90_000

/** Whether a loaded value might be out of date: the last fetch failed, or a fetch is late. */
export const isStale = ({ data, error, isFetching, dataUpdatedAt }: QueryState<unknown>, now: number): boolean =>
  data !== undefined && (Boolean(error) || (isFetching && now - dataUpdatedAt > oldMs))
