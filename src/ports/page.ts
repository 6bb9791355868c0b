/** A row's position in a list: newest first, then by descending id, so no row is skipped or repeated. */
export type PagePosition = { createdAt: number; id: string }

/** `after` is the position of the last row that was read. The client's own list counts rows instead: `offset`. */
export type Page = { limit: number; after?: PagePosition | undefined; offset?: number | undefined }

/** The tenant whose rows are read. Null stands for every organization and is for the platform's operators only. */
export type TenantScope = { organizationId: string | null }
