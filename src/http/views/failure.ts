import { type } from '../../domain/schema'
import { Count, StatusField, Text } from './scalar'

const fields = {
  statusCode: Count('The HTTP status', 400),
  message: Text('What is wrong, for people', 'targetAddress is required'),
  error: Text('The name of the HTTP status', 'Bad Request'),
} as const

export const FailureView = type({
  ...fields,
  'code?': Text('What a target is refused for, as `x-error-code` says it', 'TARGET_TOKEN_NOT_FOUND'),
})

export const SimulationRefusedView = type({
  ...fields,
  code: StatusField('The status the deposit would end in', 'FAILED_UNROUTABLE_MAIN'),
})
