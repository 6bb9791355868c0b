import { lifiCodes } from '../../protocols/lifi/lifi-answers'

/** LI.FI's error body. Only LI.FI's code 1002 has `errors`. */
export function lifiError(status: number, code: number, message: string, errors?: unknown): Response {
  return Response.json({ message, code, ...(errors === undefined ? {} : { errors }) }, { status, headers: rateLimit })
}

export const rateLimit = { 'ratelimit-limit': '12000', 'ratelimit-remaining': '11999', 'ratelimit-reset': '7200' }

/** "No route", with the reason of each tool. */
export const noRoute = (path: string, code: string, message: string): Response =>
  lifiError(404, lifiCodes.NO_QUOTE, 'No available quotes for the requested transfer', {
    filteredOut: [],
    failed: [
      {
        overallPath: path,
        subpaths: { [path]: [{ errorType: 'NO_QUOTE', code, action: {}, tool: 'across', message }] },
      },
    ],
  })
