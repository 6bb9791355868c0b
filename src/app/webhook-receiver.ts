import { readWebhook } from '../detection/webhooks/pointers'
import { transferEntries } from '../detection/webhooks/transfer-entries'
import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { TokenList } from '../domain/money/token'
import type { DepositWebhookPorts } from '../http/routes/deposit-webhook'
import type { InboundWebhooks } from '../ports/detection'
import type { Pointers } from '../ports/wakes'
import type { Log } from './logging/log'
import { webhookLog } from './logging/outcome-log'
import type { Meters } from './telemetry/meters'

type ReceiverPorts = {
  pointers: Pointers
  signedFor: DepositWebhookPorts['signedFor']
  tokens: TokenList
  log: Log
  meters: Meters
  now: () => number
}

/**
 * Handles a webhook.
 *
 * @param inboundWebhooks Stores the content for members to read; null if no member can read it.
 * @param isOurs Whether an address is a deposit address in this process's cache.
 */
export function webhookReceiver(
  { pointers, signedFor, tokens, log, meters, now }: ReceiverPorts,
  inboundWebhooks: InboundWebhooks | null,
  isOurs: (address: string) => boolean,
): DepositWebhookPorts {
  const isListed = (chainId: ChainId, token: Address): boolean => tokens.find(chainId, token) !== null
  return {
    pointers,
    note: webhookLog(log, meters),
    signedFor,
    readPointers: (body) => {
      const read = readWebhook(body, now(), isOurs)
      if (read.kind === 'MALFORMED') throw new TypeError('Not a webhook')
      return read.kind === 'POINTERS' ? read.pointers : []
    },
    keepBody: (body, speaksFor) => {
      try {
        inboundWebhooks?.note(
          transferEntries(body, now(), isListed).filter(({ chainId }) => speaksFor.includes(chainId)),
        )
      } catch (error) {
        log.write(
          'REQUEST_UNEXPECTED',
          { error },
          'The content of a webhook could not be stored. Its deposits are not affected.',
        )
      }
    },
  }
}
