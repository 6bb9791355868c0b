/** A row's position in a list: by time, then by id, so no row is skipped or repeated. */
export type PagePosition = { createdAt: number; id: string }

/**
 * `after` is the position of the last row that was read. The client's own list counts rows instead: `offset`. A list
 * begins with the newest row, with `isOldestFirst` with the oldest.
 */
export type Page = {
  limit: number
  after?: PagePosition | undefined
  offset?: number | undefined
  isOldestFirst?: boolean | undefined
}

/** The tenant whose rows are read. Null stands for every organization and is for the platform's operators only. */
export type TenantScope = { organizationId: string | null }
