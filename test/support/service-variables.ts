import { chainKeys } from '../../src/domain/chain/chain'

const address = (digit: string) => `0x${digit.repeat(40)}`

/** The smallest valid settings of a service. The tests contact none of its servers. */
export const serviceVariables: Record<string, string> = {
  ACCOUNT_REGISTRY_ADDRESS: address('1'),
  ROUTE_EXECUTOR_ADDRESS: address('2'),
  BALANCE_LENS_ADDRESS: address('3'),
  FEE_COLLECTOR_ADDRESS: address('4'),
  ROUTE_SIGNER_PRIVATE_KEY: `0x${'5'.repeat(64)}`,
  RELAYER_PRIVATE_KEYS: `0x${'6'.repeat(64)}`,
  INTENT_MAC_KEY: `0x${'5ea1'.repeat(16)}`,
  RELAYER_ADDRESSES: address('7'),
  ...Object.fromEntries(chainKeys.map((key) => [`RPC_URL_${key.toUpperCase()}`, 'http://127.0.0.1:1'])),
}
