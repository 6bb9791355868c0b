/** Organization and month (UTC): the executions that carry it are the count of the quota. Decision 39. */
export const quotaKeyOf = (organizationId: string, at: number): string =>
  `${organizationId}:${new Date(at).toISOString().slice(0, 7)}`
