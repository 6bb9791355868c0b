import { version as said } from '../../package.json' with { type: 'json' }

/** Of the whole project: the service, its document and its command line. */
export const version: string = said
