/** GOOD and BAD are proved. UNKNOWN means that the source did not respond, or that there is none. */
export type Verdict = 'GOOD' | 'BAD' | 'UNKNOWN'

/** One line of the report: the check, its subject, the result, and the action to take. */
export type Finding = {
  /** Stable, for programs that read the report. */
  check: string
  subject: string
  verdict: Verdict
  sentence: string
  /** The action to take; null if none is needed. */
  advice: string | null
}

/** Builds findings of one check on one subject. */
export const about = (check: string, subject: string) => ({
  good: (sentence: string): Finding => ({ check, subject, verdict: 'GOOD', sentence, advice: null }),
  bad: (sentence: string, advice: string): Finding => ({ check, subject, verdict: 'BAD', sentence, advice }),
  unknown: (sentence: string, advice: string): Finding => ({ check, subject, verdict: 'UNKNOWN', sentence, advice }),
})

type About = ReturnType<typeof about>

/** The findings of one part of the installation, such as the nodes or the routing providers. */
export type Area = { name: string; examine: () => Promise<Finding[]> }

/** A check that throws becomes an UNKNOWN finding, so one failure does not hide the others. */
export async function findingsOf(
  { unknown }: Pick<About, 'unknown'>,
  advice: string,
  probe: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  return probe().then(
    (result) => [result].flat(),
    (error) => [unknown(`The check failed (${codeOf(error)}).`, advice)],
  )
}

/** Returns an error's code, or its name. Unlike a message, neither contains a URL or a key. */
export function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const text = typeof code === 'string' || typeof code === 'number' ? String(code) : String(name ?? 'Error')
  return /^[\w.-]{1,64}$/.test(text) ? text : 'Error'
}

export const countOf = (findings: readonly Finding[], verdict: Verdict): number =>
  findings.filter((each) => each.verdict === verdict).length
