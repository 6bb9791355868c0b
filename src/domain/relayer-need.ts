import { newest, type Sender } from './sender'

/** Of an order that is not known yet. */
const gasLimitUsual = 600_000n

/**
 * What a relayer should hold, in wei: what everything that it has on the way may take, at the fee it was signed for,
 * and one usual order more at twice the price of today.
 *
 * @param feeCap wei per gas.
 */
export function relayerNeed(sender: Sender | null, feeCap: bigint): bigint {
  const inFlight = (sender?.slots ?? []).flatMap((slot) => {
    const attempt = newest(slot)
    if (!attempt) return []
    const { gasLimit = '21000', nativeFee = '0' } = slot.order ?? {}
    return [BigInt(attempt.feeCap) * BigInt(gasLimit) + BigInt(nativeFee)]
  })
  return inFlight.reduce((sum, wei) => sum + wei, 2n * feeCap * gasLimitUsual)
}
