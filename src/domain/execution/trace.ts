/** Trace id of W3C Trace Context: 32 hexadecimal digits. */
export type TraceId = string

/**
 * Returns the trace id of a deposit. It is computed from the money's position on the chain. Every process, re-drive and
 * restart therefore gets the same id, as does a webhook that knows only the transaction. Nothing has to be stored or
 * passed on.
 *
 * @param id The id of a deposit or an execution, or `chainId:txHash`. All arrivals of one transaction share a trace.
 */
export const traceIdOf = (id: string): TraceId => digest(id).slice(0, 32)

/** Returns the id of the root span, the parent of all other spans of the trace: 16 hexadecimal digits. */
export const rootSpanIdOf = (id: string): string => digest(id).slice(32, 48)

const digest = (id: string): string => Bun.SHA256.hash(`switchyard/trace/v1:${sourceOf(id)}`, 'hex')

/** Removes the position of a transfer within its transaction, and the number of a re-drive. */
function sourceOf(id: string): string {
  const [chainId, source = '', ...rest] = id.split(':')
  if (source.startsWith('0x')) return `${chainId}:${source}`
  const isRedrive = /^r\d+$/.test(rest.at(-1) ?? '')
  return [chainId, source, ...(isRedrive ? rest.slice(0, -1) : rest)].join(':')
}
