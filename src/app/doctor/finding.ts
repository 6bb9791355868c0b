/** GOOD and BAD were found out. UNKNOWN could not be: what would tell did not answer, or nothing can tell. */
export type Verdict = 'GOOD' | 'BAD' | 'UNKNOWN'

/** One line of the report: what was checked, on what, what was found, and what to do about it. */
export type Finding = {
  /** The name of the check, which stays the same for programs that read the report. */
  check: string
  subject: string
  verdict: Verdict
  sentence: string
  /** What to do; null where nothing is to be done. */
  advice: string | null
}

/** Findings of one check on one subject. */
export const about = (check: string, subject: string) => ({
  good: (sentence: string): Finding => ({ check, subject, verdict: 'GOOD', sentence, advice: null }),
  bad: (sentence: string, advice: string): Finding => ({ check, subject, verdict: 'BAD', sentence, advice }),
  unknown: (sentence: string, advice: string): Finding => ({ check, subject, verdict: 'UNKNOWN', sentence, advice }),
})

type About = ReturnType<typeof about>

/** The findings of one part of the installation, such as the nodes or the routing providers. */
export type Area = { name: string; examine: () => Promise<Finding[]> }

/** A question that has no answer becomes a finding of its own: no failure of one check hides the others. */
export async function examined(
  { unknown }: Pick<About, 'unknown'>,
  advice: string,
  look: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  return look().then(
    (found) => [found].flat(),
    (error) => [unknown(`It could not be found out (${codeOf(error)}).`, advice)],
  )
}

/** The code of an error, or its name: neither contains a URL or a key, which a message may. */
export function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const text = typeof code === 'string' || typeof code === 'number' ? String(code) : String(name ?? 'Error')
  return /^[\w.-]{1,64}$/.test(text) ? text : 'Error'
}

export const countOf = (findings: readonly Finding[], verdict: Verdict): number =>
  findings.filter((each) => each.verdict === verdict).length
