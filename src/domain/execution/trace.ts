/** A trace id of W3C Trace Context: 32 hexadecimal digits. */
export type TraceId = string

/**
 * Returns the trace id of a deposit. It is computed from the place on the chain at which the money arrived, so every
 * process, re-drive and restart finds the same one, as does a webhook that knows only the transaction. Nothing has to
 * be stored or passed on.
 *
 * @param id The id of a deposit or an execution, or `chainId:txHash`. Everything that arrived in one transaction shares
 * a trace.
 */
export const traceIdOf = (id: string): TraceId => digest(id).slice(0, 32)

/** Returns the id of the span that is the parent of all other spans of the trace: 16 hexadecimal digits. */
export const rootSpanIdOf = (id: string): string => digest(id).slice(32, 48)

const digest = (id: string): string => Bun.SHA256.hash(`switchyard/trace/v1:${sourceOf(id)}`, 'hex')

/** Removes the place of a transfer within its transaction, and the number of a re-drive. */
function sourceOf(id: string): string {
  const [chainId, source = '', ...rest] = id.split(':')
  if (source.startsWith('0x')) return `${chainId}:${source}`
  const isRedrive = /^r\d+$/.test(rest.at(-1) ?? '')
  return [chainId, source, ...(isRedrive ? rest.slice(0, -1) : rest)].join(':')
}
