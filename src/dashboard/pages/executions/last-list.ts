const placeOf = (organizationId: string): string => `switchyard list ${organizationId}`

/** Stores this tab's last filter of the list, for the link back from an execution. */
export const keepList = (organizationId: string, query: string): void =>
  sessionStorage.setItem(placeOf(organizationId), query && `?${query}`)
export const lastList = (organizationId: string): string => sessionStorage.getItem(placeOf(organizationId)) ?? ''
