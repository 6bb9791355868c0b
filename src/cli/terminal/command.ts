import { InvalidArgumentError } from 'commander'
import { messageOf } from './failure'

/** The action of a command. It may resolve to an exit code; the default is 0. */
type Action<Arguments extends unknown[]> = (...args: Arguments) => Promise<number | undefined> | Promise<void>

/** Runs a command and ends the process: with its exit code, or with 1 and one sentence if it fails. */
export const run =
  <Arguments extends unknown[]>(action: Action<Arguments>) =>
  async (...args: Arguments): Promise<never> => {
    try {
      process.exit((await action(...args)) ?? 0)
    } catch (error) {
      process.stderr.write(`${messageOf(error)}\n`)
      if (process.env['DEBUG']) console.error(error)
      process.exit(1)
    }
  }

/** Parses an option that must be a whole number from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    if (!/^[0-9]{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    return Number(text)
  }
