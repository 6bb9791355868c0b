import { type ErrorCode, errors } from '../error'
import type { Execution } from './execution'

export const providerFaults = (Object.keys(errors) as ErrorCode[]).filter((code) => code.startsWith('PROVIDER_'))

/**
 * Whether only a routing provider delays the execution: it waits for one, or it will retry after a provider's failure.
 */
export const waitsForProvider = ({ status, cause, facts: { waiting } }: Execution): boolean =>
  waiting ? waiting.for === 'PROVIDER' : status === 'FAILED' && cause !== null && providerFaults.includes(cause.code)
