/**
 * LI.FI's codes, https://docs.li.fi/api-reference/error-codes. A code that is not listed here means what its HTTP
 * status means.
 */
export const lifiCodes = { NO_QUOTE: 1002, NOT_FOUND: 1003, VALIDATION: 1011 }
