import { logLines } from '../../src/app/logging/log-lines'
import { chainIds, chainKeys } from '../../src/domain/chain/chain'
import { boundMsOf, type OverdueKind, overdueNames, overdueRow } from '../../src/domain/execution/overdue'

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/\| {2}(?=\|)/g, '| ')
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [rowOf(head), `|${'---|'.repeat(head.length)}`, ...rows.map(rowOf)].join('\n')

const code = (text: string): string => `\`${text}\``

export type Setting = { names: string[]; defaults: string[]; isRequired: boolean; meaning: string }

const suffix = new RegExp(`_(${chainKeys.join('|')})$`, 'i')
const baseOf = (name: string): string => name.replace(suffix, '')
const assigned = /^(# )?([A-Z][A-Z_]+)=(.*)$/
/** A comment that only says which chain the next variable belongs to. */
const isChainName = (sentence: string): boolean => chainKeys.includes(sentence.slice(0, -1).toLowerCase() as never)

/** The settings of one section of `.env.example`. The variables of the chains, one for each, are one setting. */
function settingsOf(section: readonly string[]): Setting[] {
  const settings: Setting[] = []
  let sentences: string[] = []
  for (const line of section) {
    const [, mark, name, value] = assigned.exec(line) ?? []
    if (name === undefined) {
      sentences.push(line.slice(2))
      continue
    }
    const last = settings.at(-1)
    if (last && suffix.test(name) && baseOf(last.names[0]!) === baseOf(name)) {
      last.names.push(name)
      last.defaults.push(value!)
    } else {
      const meaning = sentences.filter((sentence) => !isChainName(sentence)).join(' ')
      settings.push({ names: [name], defaults: [value!], isRequired: mark === undefined && value === '', meaning })
    }
    sentences = []
  }
  return settings
}

/** The sections of `.env.example`, each with the text behind its `##` and its settings. */
export const settingSections = (example: string): { title: string; settings: Setting[] }[] =>
  example
    .split('\n## ')
    .slice(1)
    .map((text) => {
      const [title, ...lines] = text.split('\n').filter((line) => line !== '')
      return { title: title!, settings: settingsOf(lines) }
    })

function defaultOf({ defaults, isRequired }: Setting): string {
  if (isRequired) return 'required'
  return defaults.every((value) => value === '') ? 'none' : defaults.map(code).join(', ')
}

/** The names of other variables in a sentence, as code. What the sentence itself marks as code stays. */
const spelled = (sentence: string): string => sentence.replaceAll(/(?<!`)\b[A-Z]+_[A-Z_]+[A-Z]\b/g, code)

/** All settings in one table, in which a row with the title begins each section. */
export const settingTable = (sections: ReturnType<typeof settingSections>): string =>
  tableOf(
    ['Variable', 'Default', 'Meaning'],
    sections.flatMap(({ title, settings }) => [
      [`**${title}**`, '', ''],
      ...settings.map((setting) => [setting.names.map(code).join(', '), defaultOf(setting), spelled(setting.meaning)]),
    ]),
  )

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

/** The bounds of a kind of overdue work on all chains, in minutes. */
const minutesOf = (kind: OverdueKind): [least: number, most: number] => {
  const minutes = chainIds.map((id) => boundMsOf(kind, id) / 60_000)
  return [Math.min(...minutes), Math.max(...minutes)]
}
function boundOf(kind: OverdueKind): string {
  const [least, most] = minutesOf(kind)
  if (overdueRow(kind).source === 'EVENT') return `immediately, for ${most} minutes`
  if (most === 0) return 'immediately'
  if (least < most) return `${least} to ${most} minutes, by chain`
  return most < 60 ? `${most} minutes` : `${most / 60} hours`
}

/** All kinds of overdue work, by their bounds. `operator overdue` prints the action with each item. */
export function overdueTable(): string {
  const meaningOf = (message: string): string =>
    `${message.split('. ')[0]!.replace(/\.$/, '')}.`
      .replace(/^\{provider\}/, 'A provider')
      .replace('Relayer {subject}', 'A relayer')
      .replace(': {subject}', '')
      .replaceAll(/\{(chain|provider)\}/g, 'a $1')
  const rows = [...Map.groupBy(overdueNames, boundOf)].toSorted(
    ([, [one]], [, [other]]) => minutesOf(one!)[1] - minutesOf(other!)[1],
  )
  return tableOf(
    ['Listed after', 'Kinds'],
    rows.map(([bound, kinds]) => [
      bound,
      kinds.map((kind) => `${code(kind)}: ${meaningOf(overdueRow(kind).message)}`).join('<br>'),
    ]),
  )
}
