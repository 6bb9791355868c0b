import { createRequire } from 'node:module'
import { drive } from '../engine/drive.mjs'

/** Where the packages were installed, outside the checkout. */
export const required = createRequire(`${process.env['BENCH_PEERS']}/package.json`)

/** Runs every phase it was asked for and says what came of each, a line each. */
export async function measure(carry) {
  for (const phase of JSON.parse(process.argv[2])) console.log(JSON.stringify(await drive(carry, phase)))
  process.exit(0)
}
