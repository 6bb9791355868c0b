/** What is measured, by name: each gives the lines that answer it. */
export const questions: Record<string, () => Promise<string[]>> = {}
