import { createRequire } from 'node:module'
import { drive } from '../engine/drive.mjs'

/** The folder of the packages, which is outside the checkout. */
export const required = createRequire(`${process.env['BENCH_PEERS']}/package.json`)

/** Runs every requested phase, and prints its result as a line. */
export async function measure(carry) {
  for (const phase of JSON.parse(process.argv[2])) console.log(JSON.stringify(await drive(carry, phase)))
  process.exit(0)
}
