import { view } from '../../domain/schema'
import { Count, StatusField, Text } from './scalar'

const fields = {
  statusCode: Count('The HTTP status', 400),
  message: Text('The problem, in words for people', 'targetAddress is required'),
  error: Text('The name of the HTTP status', 'Bad Request'),
} as const

export const FailureView = view({
  ...fields,
  'code?': Text('Why a target is refused, as in `x-error-code`', 'TARGET_TOKEN_NOT_FOUND'),
})

export const SimulationRefusedView = view({
  ...fields,
  code: StatusField('The status the deposit would end in', 'FAILED_UNROUTABLE_MAIN'),
})
