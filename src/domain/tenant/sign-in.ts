/** Header with the caller's network address as the server saw it. A value that the caller sends is never used. */
export const addressHeader = 'x-switchyard-address'

/** Time after a second step in which sensitive actions are allowed. */
const recentMs = 15 * 60_000

/** Whether a second step or password was proved recently. */
export const isRecent = (provedAt: number | null, now: number): boolean =>
  provedAt !== null && now - provedAt < recentMs

/** Whether no name server controls this host: an IP address, or a local name of this machine. */
export const isOwnName = (host: string): boolean =>
  /^(localhost|[a-z0-9-]+\.localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)
