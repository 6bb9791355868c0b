import { test } from 'bun:test'

/** Whether a missing program fails its tests. CI has all of them; elsewhere these tests are skipped by name. */
export const isRequired = process.env['REQUIRE_TOOLS'] === '1'

/**
 * Declares a test that needs a program that some machines lack. If it is skipped, its name states what is missing.
 */
export const testWith =
  (needs: string, isHere: boolean) =>
  (name: string, run: () => Promise<void>, limitMs?: number): void => {
    if (isHere || isRequired) test(name, run, limitMs)
    else test.skip(`${name}: SKIPPED, because there is no ${needs} on this machine`, run)
  }
