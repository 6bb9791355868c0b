import { type } from 'arktype'
import { Count, Text } from './scalar'

export const FailureView = type({
  statusCode: Count('The HTTP status', 400),
  message: Text('What is wrong, for people', 'targetAddress is required'),
  error: Text('The name of the HTTP status', 'Bad Request'),
})
