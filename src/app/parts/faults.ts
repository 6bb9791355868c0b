/** Reports a background failure: to the log, at most once a minute for each kind of work. */
export type Faults = { fault: (what: string, error: unknown) => void }
