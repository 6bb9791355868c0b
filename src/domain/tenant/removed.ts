/** Shown instead of the name of a deleted person. */
export const removedName = 'Removed'
