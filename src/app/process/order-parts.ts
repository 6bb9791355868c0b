import { hmacSeals, noSeals, withOffersUnder } from '../../adapters/hmac-seals'
import { remoteSigner } from '../../adapters/signer/remote-signer'
import { offerKeysOf } from '../../adapters/signer/signer-access'
import { aesVault, noVault } from '../../adapters/webhooks/vault'
import { intentObjection, type Seals } from '../../domain/seals'
import type { Signing, VerifyIntent } from '../../ports/signer'
import { rulesFor } from '../../signer/all-rules'
import { ownTerms } from '../../signer/own-terms'
import { policyDrafter, storedSigner } from '../../signer/policy-signer'
import { relayerAddresses, relayers } from '../../signer/relayers'
import { signing as signingHere } from '../../signer/signing'
import { pricing } from '../pricing'
import { verification } from '../verification'
import type { Adapters } from './adapters'
import type { Base, Loaded } from './base'
import type { OpenKeys } from './open-keys'

export type OrderParts = ReturnType<typeof orderPartsOf>

/** Builds the parts that price, draft and verify orders, and the part that signs them in a process with the keys. */
export function orderPartsOf(
  loaded: Loaded,
  { log, observability, connected, store, now, fault }: Base,
  { evm, providers, relayPrices }: Adapters,
  { routeSigner, relayers: relayerKeys }: OpenKeys,
) {
  const { config, secrets, keys } = loaded
  const { tokens } = connected
  const { telemetry } = observability
  const rules = rulesFor(config)
  const sources = { providers, relayPrices, chains: evm.withBreakers }
  const { priceBooks } = store
  const { signerWorth, ...worth } = pricing({ secrets, ...sources, tokens, priceBooks, now, telemetry })

  const seals = sealsOf(keys)
  const vault = keys.intentMac ? aesVault(keys.intentMac) : noVault
  const { accounts, organizations } = store
  const orderPolicy = { rules, ...config, accounts, organizations }
  const here = routeSigner && signingHere({ ...orderPolicy, seals, ...signerWorth, key: routeSigner })
  const elsewhere =
    keys.signerAccess &&
    ownTerms(remoteSigner({ url: config.signerUrl!, accessKeys: keys.signerAccess, tls: config.signerTls, now }), {
      ...orderPolicy,
      signers: config.signerAddresses,
      storedLogs: store.signerLogs,
      onOtherLog: (heads) => log.write('SIGNER_LOG_OTHER', heads),
      onFalseAnswer: (why) => fault('an answer of the signer', why),
      onUnable: (why) => fault('an order that the signer refuses', why),
      now,
    })
  const signer: Signing | null = here || elsewhere
  const signing = signer &&
    relayerKeys && {
      signer: storedSigner(signer, orderPolicy),
      relayers: relayers(relayerKeys, config),
    }
  const verifyIntent: VerifyIntent = signer?.verifyIntent ?? (async (execution) => intentObjection(seals, execution))
  const ownRelayers = signing?.relayers ?? relayerAddresses(config.relayerAddresses)
  const signers = routeSigner ? [routeSigner.address] : (config.signerAddresses ?? [])
  const verified = verification(
    { config, secrets, signers, rules, relayers: ownRelayers, tokens },
    { log, onUnavailable: fault, telemetry },
  )
  const drafter = policyDrafter(orderPolicy)
  return { rules, worth, seals, verifyIntent, vault, signing, ownRelayers, verified, drafter }
}

/**
 * Builds the seals for the keys of this process. A process that neither serves integrators nor signs makes no seals and
 * accepts none. A process with a remote signer seals only provider offers.
 */
export function sealsOf({ intentMac, signerAccess }: Pick<Loaded['keys'], 'intentMac' | 'signerAccess'>): Seals {
  const own = intentMac ? hmacSeals(intentMac) : noSeals
  return signerAccess ? withOffersUnder(hmacSeals(offerKeysOf(signerAccess)), own) : own
}
