import { createServer } from 'node:http'

/**
 * Takes in webhooks. `/silent` never answers. `/count` tells how many came and their bytes, and `/times` how many milliseconds after
 * its event each of them did.
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
