import { type ErrorCode, errors } from '../error'
import type { Execution } from './execution'

export const providerFaults = (Object.keys(errors) as ErrorCode[]).filter((code) => code.startsWith('PROVIDER_'))

/** Whether nothing but a routing provider keeps it: it waits for one, or to try again what failed by one. */
export const waitsForProvider = ({ status, cause, facts: { waiting } }: Execution): boolean =>
  waiting ? waiting.for === 'PROVIDER' : status === 'FAILED' && cause !== null && providerFaults.includes(cause.code)
