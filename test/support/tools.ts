import { describe, test } from 'bun:test'

/** Whether a missing program fails its tests. CI has all of them; elsewhere these tests are skipped by name. */
export const isRequired = process.env['REQUIRE_TOOLS'] === '1'

type Declare = (name: string, run: () => Promise<void>, limitMs?: number) => void

const skippedAs =
  (why: string): Declare =>
  (name, run) =>
    test.skip(`${name}: SKIPPED, because ${why}`, run)
const isMissing = (needs: string) => `there is no ${needs} on this machine`

/**
 * Declares a test that needs a program that some machines lack. If it is skipped, its name states what is missing.
 *
 * @param declare Declares the test if the program is there, such as `nightly`.
 */
export const testWith = (needs: string, isHere: boolean, declare: Declare = test): Declare =>
  isHere || isRequired ? declare : skippedAs(isMissing(needs))

/** Declares a group of such tests. */
export function describeWith(needs: string, isHere: boolean, name: string, declareAll: () => void): void {
  if (isHere || isRequired) describe(name, declareAll)
  else describe.skip(`${name}: SKIPPED, because ${isMissing(needs)}`, declareAll)
}

/**
 * Declares a test of one kind of server. Where another one runs, no program is missing, so it is skipped by name even if
 * missing programs fail.
 */
export const testOn = (server: string, isSo: boolean, declare: Declare = test): Declare =>
  isSo ? declare : skippedAs(`${server} does not run here`)
