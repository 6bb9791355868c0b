import { logLines } from '../../src/app/logging/log-lines'
import { chainKeys } from '../../src/domain/chain/chain'

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/\| {2}(?=\|)/g, '| ')
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [rowOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(rowOf)].join('\n')

const code = (text: string): string => `\`${text}\``

export type Setting = { names: string[]; defaults: string[] }

const suffix = new RegExp(`_(${chainKeys.join('|')})$`, 'i')
const baseOf = (name: string): string => name.replace(suffix, '')

/** The settings of `.env.example`. The variables of the chains, one for each, are one setting. */
export function settingsIn(example: string): Setting[] {
  const settings: Setting[] = []
  for (const [, name, value] of example.matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)) {
    const last = settings.at(-1)
    if (last && suffix.test(name!) && baseOf(last.names[0]!) === baseOf(name!)) {
      last.names.push(name!)
      last.defaults.push(value!)
    } else settings.push({ names: [name!], defaults: [value!] })
  }
  return settings
}

type Labelled = { name: string; labels: readonly string[] }

/**
 * The metrics of a response of `/metrics` that begin with `switchyard_`.
 *
 * @param declared Metrics with their labels. The labels of all others are read from their samples.
 * @param shown The table in the page, whose last column is written by hand: values of labels, and notes.
 */
export function metricTable(served: string, declared: readonly Labelled[], shown: string): string {
  const notes = lastCells(shown)
  const helps = new Map(
    [...served.matchAll(/^# HELP switchyard_(\S+) (.+)$/gm)].map(([, name, help]) => [name!, help!]),
  )
  const types = [...served.matchAll(/^# TYPE switchyard_(\S+) (\w+)$/gm)].map(
    ([, name, type]) => [name!, type!] as const,
  )
  const labelsOf = (name: string): readonly string[] => {
    const known = declared.find((metric) => metric.name === name)
    if (known) return known.labels
    const [, labels = ''] = new RegExp(`^switchyard_${name}(?:_bucket)?\\{([^}]*)\\}`, 'm').exec(served) ?? []
    return [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!).filter((label) => label !== 'le')
  }
  const rows = types.map(([name, type]) => [code(name), type, labelsOf(name).join(', '), helps.get(name)!, notes(name)])
  return tableOf(
    ['Metric', 'Type', 'Labels', 'Meaning', 'Values of the label, and notes'],
    rows.toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
  )
}

/** Returns the last cell of the row that begins with a name, from the table in a page. */
function lastCells(shown: string): (name: string) => string {
  const rows = [...shown.matchAll(/^\| `(\w+)` \|.* \| ?(.*) \|$/gm)]
  const cells = new Map(rows.map(([, name, cell]) => [name!, cell!]))
  return (name) => cells.get(name) ?? ''
}

/**
 * The events above `info`. The others need no action, and their lines have the text.
 *
 * @param shown The table in the page, whose last column is written by hand: what to do about the event.
 */
export function logTable(shown: string): string {
  const action = lastCells(shown)
  return tableOf(
    ['Event', 'Level', 'Text', 'What to do'],
    Object.entries(logLines).flatMap(([event, { level, message }]) =>
      level === 'info' || level === 'debug' ? [] : [[code(event), level, message, action(event)]],
    ),
  )
}
