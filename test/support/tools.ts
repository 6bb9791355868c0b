import { test } from 'bun:test'

/**
 * Declares a test that needs a program that some machines lack. CI has all of them. Elsewhere the test is skipped, and
 * its name states what is missing.
 */
export const testWith =
  (needs: string, isHere: boolean) =>
  (name: string, run: () => Promise<void>, limitMs?: number): void => {
    if (isHere || process.env['CI'] === 'true') test(name, run, limitMs)
    else test.skip(`${name}: SKIPPED, because there is no ${needs} on this machine`, run)
  }
