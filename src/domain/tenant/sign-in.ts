/**
 * The header with the caller's network address as the server saw it. What a caller sends under this name is never used.
 */
export const addressHeader = 'x-switchyard-address'

/** For this long after a second step, its owner may do what needs a recent one. */
const recentMs = 15 * 60_000

/** Whether something was proved lately: the second step, or a password. */
export const isRecent = (provedAt: number | null, now: number): boolean =>
  provedAt !== null && now - provedAt < recentMs

/** Whether a host cannot be pointed at us by a name server: an address itself, or this machine by its own name. */
export const isOwnName = (host: string): boolean =>
  /^(localhost|[a-z0-9-]+\.localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)
