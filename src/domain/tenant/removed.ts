/** Stands where the name of somebody was who is not here any more. */
export const removedName = 'Removed'
