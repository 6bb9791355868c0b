export type Issue = { path?: readonly PropertyKey[]; expected?: string; code?: string }

/** Fields that are refused with a sentence of their own (decision 6). */
const sentences: Record<string, string> = {
  targetChainId: 'Invalid target chain ID',
  targetTokenAddress: 'Invalid target token address',
  targetAddress: 'Invalid target address',
}

/** Says what is wrong with a value without repeating the value. */
export function sentenceOf(issue: Issue | undefined, whole: string): string {
  const field = issue?.path?.length ? String(issue.path[0]) : whole
  if (issue?.code === 'required') return `${field} is required`
  return (
    sentences[field] ??
    `${field} must be ${issue?.code === 'union' ? plain(issue.expected) : (issue?.expected ?? 'valid')}`
  )
}

/** For alternatives ArkType gives a whole sentence with the value in it; this takes out what was expected. */
const plain = (expected = ''): string => /must be (.*?)(?: \(was |$)/s.exec(expected)?.[1] ?? 'valid'
