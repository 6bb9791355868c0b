import { version as said } from '../../package.json' with { type: 'json' }

/** The version of the whole project: the service, its OpenAPI document and its command line. */
export const version: string = said
