import { type Command, Option } from 'commander'

const requiredOptions = new WeakSet<Option>()

/** A required option. The help marks it, and `reportAllMissing` names every missing one. */
export function requiredOption(flags: string, description: string): Option {
  const option = new Option(flags, `${description} (required)`)
  requiredOptions.add(option)
  return option
}

/** Names all missing options in one error. Commander would name only the first. */
export function reportAllMissing(program: Command): void {
  program.hook('preAction', (_, command) => {
    const missing = command.options.filter(
      (option) => requiredOptions.has(option) && command.getOptionValue(option.attributeName()) === undefined,
    )
    if (missing.length === 0) return
    command.error(`error: missing ${missing.map(({ flags }) => `'${flags}'`).join(' and ')}`)
  })
}
