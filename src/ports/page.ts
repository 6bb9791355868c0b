/** A row's place in a list: newest first, then by id downwards, so that no row is skipped or repeated. */
export type Place = { createdAt: number; id: string }

/** `after` is the place of the last row already seen. The client's own list counts rows instead: `offset`. */
export type Page = { limit: number; after?: Place | undefined; offset?: number | undefined }

/** Whose rows: null is every organization's, for the platform's operators alone. */
export type Tenant = { organizationId: string | null }
