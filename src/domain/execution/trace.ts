/** 32 hexadecimal digits, as W3C Trace Context has them. */
export type TraceId = string

/**
 * The trace of a deposit, made of where its money came from: a webhook that knows only the transaction, every process,
 * every re-drive and every restart find the same one, and nothing has to be stored or handed on for that.
 *
 * @param id of a deposit or an execution, or `chainId:txHash`. What arrived in one transaction shares a trace.
 */
export const traceIdOf = (id: string): TraceId => digest(id).slice(0, 32)

/** The span that all spans of the trace hang on, 16 hexadecimal digits. */
export const rootSpanIdOf = (id: string): string => digest(id).slice(32, 48)

const digest = (id: string): string => Bun.SHA256.hash(`switchyard/trace/v1:${sourceOf(id)}`, 'hex')

/** Without the place of a transfer in its transaction, and without the number of a re-drive. */
function sourceOf(id: string): string {
  const [chainId, source = '', ...rest] = id.split(':')
  if (source.startsWith('0x')) return `${chainId}:${source}`
  const isRedrive = /^r\d+$/.test(rest.at(-1) ?? '')
  return [chainId, source, ...(isRedrive ? rest.slice(0, -1) : rest)].join(':')
}
