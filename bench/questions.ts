import { deposits } from './deposits'
import { freshClone } from './fresh-clone'
import { http } from './http'
import { serverStart } from './server-start'

/** What is measured, by name: each gives the lines that answer it. */
export const questions: Record<string, () => Promise<string[]>> = {
  'fresh-clone': freshClone,
  'server-start': serverStart,
  deposits,
  http,
}
