// The measure of all ratios: Koa behind the same TLS as the appliance, which parses a JSON body and writes it back.
// `node bench/echo-server.mjs CERTIFICATE KEY` prints its port and serves until it is killed.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import Koa from 'koa'
import { secureContextOptions } from '../dist/modules/server.js'

const [certificate, key] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'))
const koa = new Koa()
koa.use(async (context) => {
  const chunks = []
  for await (const chunk of context.req) chunks.push(chunk)
  context.type = 'application/json'
  context.body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')))
})
const serve = koa.callback()
const tls = secureContextOptions({ certificate, key }, 'TLSv1.2')
const server = createSecureServer({ ...tls, allowHTTP1: true, noDelay: true })
server.on('request', (request, response) => void serve(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(server.address().port)
