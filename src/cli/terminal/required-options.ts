import { type Command, Option } from 'commander'

const marked = new WeakSet<Option>()

/** Help says that it is; what is missing of such options is named all at once, where Commander names the first. */
export function requiredOption(flags: string, description: string): Option {
  const option = new Option(flags, `${description} (required)`)
  marked.add(option)
  return option
}

export function reportAllMissing(program: Command): void {
  program.hook('preAction', (_, command) => {
    const missing = command.options.filter(
      (option) => marked.has(option) && command.getOptionValue(option.attributeName()) === undefined,
    )
    if (missing.length === 0) return
    command.error(`error: missing ${missing.map(({ flags }) => `'${flags}'`).join(' and ')}`)
  })
}
