const placeOf = (organizationId: string): string => `switchyard list ${organizationId}`

/** The list as it was filtered last, in this tab: the way back from what was opened out of it. */
export const keepList = (organizationId: string, query: string): void =>
  sessionStorage.setItem(placeOf(organizationId), query && `?${query}`)
export const lastList = (organizationId: string): string => sessionStorage.getItem(placeOf(organizationId)) ?? ''
