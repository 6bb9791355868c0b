export type Issue = { path?: readonly PropertyKey[]; expected?: string; code?: string }

/** Fields whose refusal has a sentence of its own (decision 6). */
const sentences: Record<string, string> = {
  targetChainId: 'Invalid target chain ID',
  targetTokenAddress: 'Invalid target token address',
  targetAddress: 'Invalid target address',
}

/** What is wrong with a value, without the value: nothing that was sent is said back. */
export function sentenceOf(issue: Issue | undefined, whole: string): string {
  const field = issue?.path?.length ? String(issue.path[0]) : whole
  if (issue?.code === 'required') return `${field} is required`
  return (
    sentences[field] ??
    `${field} must be ${issue?.code === 'union' ? plain(issue.expected) : (issue?.expected ?? 'valid')}`
  )
}

/** Of alternatives ArkType says the whole sentence, with the value. */
const plain = (expected = ''): string => /must be (.*?)(?: \(was |$)/s.exec(expected)?.[1] ?? 'valid'
