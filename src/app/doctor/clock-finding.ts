import type { ClockDifference } from '../../adapters/clock'
import type { about, Finding } from './finding'

/**
 * Compares a clock with ours. The slower the response, the larger the error of measurement. A difference within that
 * error is UNKNOWN, never BAD.
 */
export function clockFinding(
  { good, bad, unknown }: ReturnType<typeof about>,
  { aheadMs, errorMs }: ClockDifference,
  mostMs: number,
  advice = 'Synchronise the clocks of both machines by NTP.',
): Finding {
  const [apartMs, direction] = [Math.abs(aheadMs), aheadMs > 0 ? 'ahead of' : 'behind']
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  if (apartMs - errorMs > mostMs) return bad(`Its clock is ${seconds(apartMs)} seconds ${direction} ours.`, advice)
  if (apartMs + errorMs <= mostMs) return good('Its clock agrees with ours.')
  return unknown(
    `Its answer took ${seconds(2 * errorMs)} seconds, too long to compare its clock with ours.`,
    'Run the doctor again when it answers faster.',
  )
}
