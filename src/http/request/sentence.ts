export type Issue = { path?: readonly PropertyKey[]; expected?: string; code?: string }

/** Fields with their own refusal sentence (decision 6). */
const sentences: Record<string, string> = {
  targetChainId: 'Invalid target chain ID',
  targetTokenAddress: 'Invalid target token address',
  targetAddress: 'Invalid target address',
}

/** Returns what is wrong with a value, without repeating the value. */
export function sentenceOf(issue: Issue | undefined, whole: string): string {
  const field = issue?.path?.length ? String(issue.path[0]) : whole
  if (issue?.code === 'required') return `${field} is required`
  return (
    sentences[field] ??
    `${field} must be ${issue?.code === 'union' ? plain(issue.expected) : (issue?.expected ?? 'valid')}`
  )
}

/** Returns the expected form from ArkType's message about alternatives, which also contains the value. */
const plain = (expected = ''): string => /must be (.*?)(?: \(was |$)/s.exec(expected)?.[1] ?? 'valid'
