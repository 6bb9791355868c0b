import { errorCodes } from '../../domain/error'
import {
  type ReceiptMessage,
  receiptDigest,
  receiptDomain,
  receiptFields,
  receiptTypes,
  type SignedReceipt,
} from '../../domain/execution/receipt'
import { view } from '../../domain/schema'
import { example } from '../views/examples'
import { Address, Amount, ChainId, Count, described, Flag, Hash, hash, StatusField, Text, Time } from '../views/scalar'

const emptyOrOne = 'An array of one; empty while unknown, because EIP-712 has no null'

export const ReceiptDepositView = view({
  chainId: ChainId('Source chain'),
  account: Address('Deposit account', example.depositAddress),
  token: Address('Deposited token', example.baseUsdc),
  amount: Amount('Amount that arrived', '25000000'),
  blockNumber: Count('Confirmed block of the deposit', 38_294_101),
  txHash: described(hash.array(), 'Funding transaction; empty if a balance sweep found the deposit', [
    example.depositTxHash,
  ]),
  logIndex: described(view('number.integer >= 0').array(), 'Index of its transfer in the block', [12]),
})

export const ReceiptIntentView = view({
  version: Count('Version of the intent', 3),
  chainId: ChainId('Target chain', example.toChainId),
  token: Address('Target token', example.arbitrumUsdc),
  recipient: Address('Recipient', example.recipient),
})

export const ReceiptFeesView = view({
  received: Amount('Confirmed balance that was split', '25000000'),
  protocolFee: Amount('Protocol fee', '125000'),
  protocolFeeForgiven: Amount('Part of the protocol fee that was forgiven', '0'),
  gasFee: Amount('Gas fee', '18432'),
  routed: described(view(/^-?(0|[1-9][0-9]{0,77})$/), 'Rest to route; can be negative', '24856568'),
  collected: Flag('Whether the fees were transferred', true),
})

export const ReceiptRouteView = view({
  routeId: Hash('Route identifier, which the chain accepts once', example.routeId),
  provider: Text('Provider; empty if none was chosen', 'lifi'),
})

export const ReceiptSpentView = view({
  chainId: ChainId('Source chain'),
  txHash: Hash('Transaction that moved the money out of the account', example.txHash),
  blockNumber: Count('Its block', 38_294_120),
  token: Address('Token', example.baseUsdc),
  amount: Amount('Amount that left the account, fees included', '25000000'),
})

export const ReceiptDeliveredView = view({
  chainId: ChainId('Destination chain', example.toChainId),
  txHash: Hash('Delivery transaction', example.destinationTxHash),
  blockNumber: Count('Its block', 402_118_233),
  token: Address('Delivered token', example.arbitrumUsdc),
  recipient: Address('Recipient', example.recipient),
  amount: Amount('Amount that arrived', '24831711'),
})

/** The signed part of a receipt (extensions 4.6). */
export const ReceiptMessageView = view({
  executionId: Text('The execution', example.depositId),
  status: StatusField('Status in which it ended', 'SUCCESS'),
  causeCode: described(view.enumerated('', ...errorCodes), 'Why it failed; empty after SUCCESS', ''),
  deposit: described(ReceiptDepositView, 'The deposit'),
  intent: described(ReceiptIntentView.array(), `Snapshot of the intent. ${emptyOrOne}`),
  fees: described(ReceiptFeesView.array(), `Split of the deposit. ${emptyOrOne}`),
  route: described(ReceiptRouteView.array(), `The route. ${emptyOrOne}`),
  spent: described(ReceiptSpentView.array(), `Evidence on the source chain. ${emptyOrOne}`),
  delivered: described(ReceiptDeliveredView.array(), `Evidence on the destination chain. ${emptyOrOne}`),
  detectedAt: Time('When the deposit was detected'),
  createdAt: Time('When the execution was first shown'),
  completedAt: Time('When it ended', '2026-11-21T10:01:02.118Z'),
})

export const ReceiptDomainView = view({
  name: Text('Name', receiptDomain.name),
  version: Text('Version', receiptDomain.version),
})
export const ReceiptFieldView = view({ name: Text('Field', 'status'), type: Text('EIP-712 type', 'string') })
export const ReceiptView = view({
  domain: described(ReceiptDomainView, 'EIP-712 domain'),
  types: described(view({ '[string]': ReceiptFieldView.array() }), 'EIP-712 types, always the same: fields by type', {
    ReceiptRoute: receiptTypes.ReceiptRoute,
  }),
  primaryType: described(view("'Receipt'"), 'EIP-712 primary type', 'Receipt'),
  message: described(ReceiptMessageView, 'The signed facts'),
  digest: Hash('EIP-712 digest of the message', example.receiptDigest),
  signer: Address('Address of the key that signed; published at `/.well-known/receipt-signers`', example.receiptSigner),
  signature: described(view(/^0x[0-9a-f]{130}$/), 'Signature of the digest: r, s and v', example.receiptSignature),
})

/** Returns the receipt as it is sent, in the order of its fields. */
export const receiptView = (message: ReceiptMessage, proof: Pick<SignedReceipt, 'signer' | 'signature'>) => {
  const receipt: SignedReceipt = {
    domain: receiptDomain,
    types: receiptTypes,
    primaryType: 'Receipt',
    message,
    digest: receiptDigest(message),
    ...proof,
  }
  return Object.fromEntries(receiptFields.map((name) => [name, receipt[name]]))
}

export const receiptMessageExample: ReceiptMessage = {
  executionId: example.depositId,
  status: 'SUCCESS',
  causeCode: '',
  deposit: {
    chainId: example.fromChainId,
    account: example.depositAddress,
    token: example.baseUsdc,
    amount: '25000000',
    blockNumber: 38_294_101,
    txHash: [example.depositTxHash],
    logIndex: [12],
  },
  intent: [{ version: 3, chainId: example.toChainId, token: example.arbitrumUsdc, recipient: example.recipient }],
  fees: [
    {
      received: '25000000',
      protocolFee: '125000',
      protocolFeeForgiven: '0',
      gasFee: '18432',
      routed: '24856568',
      collected: true,
    },
  ],
  route: [{ routeId: example.routeId, provider: 'lifi' }],
  spent: [
    {
      chainId: example.fromChainId,
      txHash: example.txHash,
      blockNumber: 38_294_120,
      token: example.baseUsdc,
      amount: '25000000',
    },
  ],
  delivered: [
    {
      chainId: example.toChainId,
      txHash: example.destinationTxHash,
      blockNumber: 402_118_233,
      token: example.arbitrumUsdc,
      recipient: example.recipient,
      amount: '24831711',
    },
  ],
  detectedAt: '2026-11-21T10:00:02.118Z',
  createdAt: '2026-11-21T10:00:24.640Z',
  completedAt: '2026-11-21T10:01:02.118Z',
}

export const receiptExample = receiptView(receiptMessageExample, {
  signer: example.receiptSigner,
  signature: example.receiptSignature,
})
