const places: Record<string, string> = {
  SENDER: 'The sender still has the money.',
  DEPOSIT_ACCOUNT: 'The money is safe in the deposit account.',
  PROVIDER: 'The money is on its way with the routing provider.',
  RECIPIENT: 'The recipient has what arrived.',
}

/** Where the money is, in a sentence. Once an execution has ended, nobody looks for money that a provider has taken. */
export const placeOf = (holder: string, hasEnded: boolean): string =>
  holder === 'PROVIDER' && hasEnded
    ? 'A routing provider took the money, and it was not seen to arrive.'
    : (places[holder] ?? '')

/** How money that was burnt is minted. Once an execution has ended, we do it no more. */
export const howToMint = (chain: string, hasEnded: boolean): string =>
  [
    `The money was burnt, and can be minted on ${chain} now.`,
    ...(hasEnded ? [] : ['Switchyard does this by itself, and anybody can do it sooner.']),
    'Send this call to this contract there, from any account with coin for gas, and send no coin along. It pays the recipient and nobody else, once.',
  ].join(' ')
