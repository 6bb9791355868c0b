import { approve } from './approve'
import { deadLetter } from './dead-letter'
import type { OperationPorts } from './ports'
import { redrive } from './redrive'
import { retryNow } from './retry-now'

/** The operations that an operator can run on an execution. Each is written to the audit log before it acts. */
export const operations = (ports: OperationPorts) => ({
  approve: approve(ports),
  retryNow: retryNow(ports),
  deadLetter: deadLetter(ports),
  redrive: redrive(ports),
})
export type Operations = ReturnType<typeof operations>
