import { hmacSeals, noSeals } from '../../adapters/hmac-seals'
import { aesVault, noVault } from '../../adapters/webhooks/vault'
import { policyDrafter, policySigner } from '../../signer/policy-signer'
import { relayRules } from '../../signer/relay-deposit'
import { relayerAddresses, relayers } from '../../signer/relayers'
import { lifiRules } from '../../signer/route-rules'
import { pricing } from '../pricing'
import { verification } from '../verification'
import type { Adapters } from './adapters'
import type { Base, Loaded } from './base'

export type OrderParts = ReturnType<typeof orderPartsOf>

/** Builds what prices, drafts and verifies orders, and what signs them in the process that has the keys. */
export function orderPartsOf(
  loaded: Loaded,
  { log, observability, connected, store, now, fault }: Base,
  { evm, providers, relayPrices }: Adapters,
) {
  const { config, secrets, keys } = loaded
  const { tokens } = connected
  const { telemetry } = observability
  const rules = [...lifiRules(), ...(config.relayUrl ? relayRules(config.relaySolver) : [])]
  const sources = { providers, relayPrices, chains: evm.patient }
  const { priceBooks } = store
  const { signerWorth, ...worth } = pricing({ secrets, ...sources, tokens, priceBooks, now, telemetry })

  // A process that neither serves integrators nor signs makes no seals and believes none.
  const seals = keys.intentMac ? hmacSeals(keys.intentMac) : noSeals
  const vault = keys.intentMac ? aesVault(keys.intentMac) : noVault
  const orderPolicy = { rules, ...config, ...store }
  const signing = keys.signing && {
    signer: policySigner({ ...orderPolicy, seals, ...signerWorth, privateKey: keys.signing.routeSigner }),
    relayers: relayers(keys.signing.relayers, config.executor, config.formerExecutors),
  }
  const relayersKnown = signing?.relayers ?? relayerAddresses(config.relayerAddresses)
  const verified = verification(
    { config, secrets, keys, rules, relayers: relayersKnown, tokens },
    { log, onAway: fault, telemetry },
  )
  return { rules, worth, seals, vault, signing, relayersKnown, verified, drafter: policyDrafter(orderPolicy) }
}
