import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examination } from '../../app/doctor/doctor'
import { countOf, type Finding, type Verdict } from '../../app/doctor/finding'
import { version } from '../../app/version'

type Options = { json?: true; all?: true; quotes: boolean; keep?: string; natsMonitor: string[] }

const signs: Record<Verdict, string> = { GOOD: '✓', BAD: '✗', UNKNOWN: '?' }

/** Examines the installation that the environment describes. @returns 1 if anything is bad, otherwise 0. */
export async function doctor({ json, all, quotes, keep, natsMonitor }: Options): Promise<number> {
  const report = await examination(process.env, {
    withQuotes: quotes,
    natsMonitors: natsMonitor,
    onArea: (name, findings) => {
      if (!json) console.log(areaText(name, findings, all === true))
    },
  })
  const { findings, answers } = report
  const counts = {
    good: countOf(findings, 'GOOD'),
    bad: countOf(findings, 'BAD'),
    unknown: countOf(findings, 'UNKNOWN'),
  }
  if (keep) {
    mkdirSync(keep, { recursive: true })
    for (const [n, answer] of answers.entries())
      writeFileSync(join(keep, `${String(n + 1).padStart(4, '0')}.json`), `${JSON.stringify(answer, null, 2)}\n`)
  }
  if (json) console.log(JSON.stringify({ version, counts, findings }, null, 2))
  else console.log(`${counts.good} good, ${counts.bad} bad, ${counts.unknown} unknown.`)
  return counts.bad > 0 ? 1 : 0
}

const subjectsMax = 5

/** Lists the findings of one area. Good findings are only counted, unless all are shown. */
function areaText(name: string, findings: readonly Finding[], all: boolean): string {
  const shown = findings.filter(({ verdict }) => all || verdict !== 'GOOD')
  const alike = Map.groupBy(shown, ({ verdict, sentence, advice }) => JSON.stringify([verdict, sentence, advice]))
  const head = `${name}: ${countOf(findings, 'GOOD')} of ${findings.length} good`
  const lines = [...alike.values()].map((group) => {
    const { verdict, sentence, advice } = group[0]!
    const wayOut = advice === null ? '' : `\n      ${advice}`
    return `  ${signs[verdict]} ${subjectsOf(group)}: ${sentence}${wayOut}`
  })
  return [head, ...lines].join('\n')
}

function subjectsOf(findings: readonly Finding[]): string {
  const named = findings.slice(0, subjectsMax).map(({ subject }) => subject)
  const more = findings.length - named.length
  return more > 0 ? `${named.join('; ')}; and ${more} more` : named.join('; ')
}
