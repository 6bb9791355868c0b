/** The caller's network address, as the server saw it: never what was sent under this name. */
export const addressHeader = 'x-switchyard-address'

/** A host that no name server can turn to us: an address itself, or this machine by its own name. */
export const isOwnName = (host: string): boolean =>
  /^(localhost|[a-z0-9-]+\.localhost|\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)
