/** LI.FI's codes, https://docs.li.fi/api-reference/error-codes. What is not here is what its HTTP status says. */
export const lifiCodes = { NO_QUOTE: 1002, NOT_FOUND: 1003, VALIDATION: 1011 }
