import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import type { Bug } from './view'

/** Planted bugs of intents and of the API that changes them. */
export const bugsOfApi: Record<string, Bug> = {
  'the API answers before an intent is stored': () => ({
    api: ({ intents }) => ({
      intents: { load: intents.load, save: async (intent) => ({ ...intent, version: intent.version + 1 }) },
    }),
  }),
  'an intent is read from memory': ({ intents }) => {
    const read = new Map<string, DepositIntent>()
    return {
      intents: {
        ...intents,
        load: async (id) => {
          const intent = read.get(id) ?? (await intents.load(id))
          if (intent) read.set(id, intent)
          return intent
        },
      },
    }
  },
}
