const places: Record<string, string> = {
  SENDER: 'The sender still has the money.',
  DEPOSIT_ACCOUNT: 'The money is safe in the deposit account.',
  PROVIDER: 'The money is on its way with the routing provider.',
  RECIPIENT: 'The recipient has received the money.',
}

/** Where the money is, in a sentence. Once an execution has ended, nobody looks for money that a provider has taken. */
export const placeOf = (holder: string, hasEnded: boolean): string =>
  holder === 'PROVIDER' && hasEnded
    ? 'A routing provider took the money, but it has not been seen to arrive.'
    : (places[holder] ?? '')

/** How money that was burnt is minted. Once an execution has ended, we do it no more. */
export const howToMint = (chain: string, hasEnded: boolean): string =>
  [
    `The money was burned and can now be minted on ${chain}.`,
    ...(hasEnded ? [] : ['Switchyard does this automatically, and anyone can do it sooner.']),
    'Send this call to this contract from any account with coin for gas, with a value of 0. It pays only the recipient, and only once.',
  ].join(' ')
