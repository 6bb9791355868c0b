import { createServer } from 'node:http'

/** Takes in webhooks. `/silent` never answers, and `/counts` tells how many came and how long after their events. */
const tookMs = []
const server = createServer((request, response) => {
  if (request.url === '/counts') {
    response.end(JSON.stringify(tookMs))
    return
  }
  if (request.url === '/silent') return
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    tookMs.push(Date.now() - Date.parse(JSON.parse(body).timestamp))
    response.statusCode = 204
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
