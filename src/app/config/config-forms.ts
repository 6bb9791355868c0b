import { accessSync, constants } from 'node:fs'
import { that } from './env-variable'

const originForm = /^https?:\/\/[^/,\s@?#]+$/
/** An origin as a browser sends it: lower case, without a path or a default port. A wildcard is not accepted. */
const isOrigin = (text: string) => originForm.test(text) && URL.canParse(text) && new URL(text).origin === text
export const origins = that(
  (text) => text.split(',').every(isOrigin),
  'origins like https://app.example.com with commas between them',
)
const host = '(?:\\[[^\\s\\]]+\\]|[^\\s@,:/?[]+)(?::\\d{1,5})?'
const natsServer = new RegExp(`^(?:(?:nats|tls)://)?(?:[^\\s@,/]+@)?${host}/?$`)
export const natsServers = that(
  (text) => /^(nats|tls):/.test(text) && text.split(',').every((part) => natsServer.test(part)),
  'a nats:// URL',
)
export const mongodb = new RegExp(`^mongodb(?:\\+srv)?://(?:[^\\s@/]+@)?${host}(?:,${host})*(?:[/?]\\S*)?$`)
export const headers = that(
  (text) => text.split(',').every((part) => /^[\w-]+=[^,\s]+$/.test(part.trim())),
  'name=value with commas between several',
)

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
export const readableFile = that(isReadable, 'the path of a file that this process can read')

const socketPath = /^unix:\/[^\s?#]+$/
/** Address for requests to the signer: HTTP, or a Unix socket of this machine. */
export const signerPlace = that(
  (text) => socketPath.test(text) || (/^https?:\/\/[^\s/?#@]+\/?$/.test(text) && URL.canParse(text)),
  'http://host:port, https://host:port or unix:/path',
)
const listenForm = new RegExp(`^${host}$`)
/** Address that the signer binds. */
export const signerListen = that(
  (text) => socketPath.test(text) || (listenForm.test(text) && /:\d+$/.test(text)),
  'host:port or unix:/path',
)
