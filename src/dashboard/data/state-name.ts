import { isStatus, statuses } from '../../domain/execution/status'
import { capital } from './format'

/** Plain names for states with technical names. */
const plainNames: Record<string, string> = { 'taking lane': 'Waiting its turn' }

/** Names a state of an execution in plain words. */
export const plainName = (state: string): string =>
  isStatus(state) ? statuses[state].name : (plainNames[state] ?? capital(state))

/** Names a state in plain words; a status by its name and its code. */
export const stateName = (state: string): string =>
  isStatus(state) ? `${plainName(state)} · ${state}` : plainName(state)
