import { createServer } from 'node:http'

/**
 * Receives webhooks. `/silent` never answers. `/count` returns the number received and their bytes. `/times` returns
 * the delay of each after its event, in milliseconds.
 */
const tookMs = []
let bytes = 0
const server = createServer((request, response) => {
  if (request.url === '/count') {
    response.end(JSON.stringify({ count: tookMs.length, bytes }))
    return
  }
  if (request.url === '/times') {
    response.end(JSON.stringify(tookMs))
    return
  }
  if (request.url === '/silent') return
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    bytes += body.length
    tookMs.push(Date.now() - Date.parse(JSON.parse(body).timestamp))
    response.statusCode = 204
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
