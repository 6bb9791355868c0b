const places: Record<string, string> = {
  SENDER: 'The sender still has the money.',
  DEPOSIT_ACCOUNT: 'The money is safe in the deposit account.',
  PROVIDER: 'The money is on its way with the routing provider.',
  RECIPIENT: 'The recipient has received the money.',
}

/** Describes where the money is. After an execution has ended, money that a provider has taken is no longer tracked. */
export const placeOf = (holder: string, hasEnded: boolean): string =>
  holder === 'PROVIDER' && hasEnded
    ? 'A routing provider has the money, and its arrival has not been seen.'
    : (places[holder] ?? '')

/** Describes how to mint burned money. After an execution has ended, Switchyard no longer mints it. */
export const howToMint = (chain: string, hasEnded: boolean): string =>
  [
    `The money was burned and can now be minted on ${chain}.`,
    ...(hasEnded ? [] : ['Switchyard does this automatically, and anyone can do it sooner.']),
    'Send this call to this contract from any account with coin for gas, with a value of 0. It pays only the recipient, and only once.',
  ].join(' ')
