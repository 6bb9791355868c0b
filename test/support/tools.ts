import { test } from 'bun:test'

/**
 * A test that needs a program which not every machine has. CI has all of them; elsewhere the test is skipped, and its
 * name says what is missing.
 */
export const testWith =
  (needs: string, isHere: boolean) =>
  (name: string, run: () => Promise<void>, limitMs?: number): void => {
    if (isHere || process.env['CI'] === 'true') test(name, run, limitMs)
    else test.skip(`${name}: SKIPPED, because there is no ${needs} on this machine`, run)
  }
