// Wrong logins at once, from addresses of their own: `node stranger-flood.mjs '{"url": …}'`. Prints a line when they are on
// their way, and at the end how many answers had which status.
import { connect } from 'node:http2'
import { setPriority } from 'node:os'
import { connect as connectTls } from 'node:tls'

// Strangers have processors of their own: theirs must not take the daemon's.
setPriority(0, 5)

const { url, ca, logins, firstNetwork, networks, accounts, streams } = JSON.parse(process.argv[2])
const { origin, port, hostname, pathname } = new URL(url)
const statuses = new Map()
const count = (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1)

function open(n) {
  const localAddress = `127.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`
  const createConnection = () =>
    connectTls({ host: '127.0.0.1', servername: hostname, port: Number(port), localAddress, ca, ALPNProtocols: ['h2'] })
  const session = connect(origin, { createConnection })
  session.on('error', () => {})
  return session
}

function logIn(session, n) {
  const otp = Array.from({ length: 44 }, (_, at) => 'cbdefghijklnrtuv'[(n * 7 + at * 5) % 16]).join('')
  const body = { username: `stranger${n % accounts}`, passphrase: 'wrong wrong', apikey: 'x'.repeat(10), otp }
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `${pathname}/auth`,
      'content-type': 'application/json',
    })
    stream.on('response', (headers) => count(headers[':status']))
    stream.on('error', () => count(0))
    stream.once('close', resolve)
    stream.resume()
    stream.end(JSON.stringify(body))
  })
}

const sessions = Array.from({ length: Math.ceil(logins / streams) }, (_, n) => open(firstNetwork + (n % networks)))
const all = Promise.all(Array.from({ length: logins }, (_, n) => logIn(sessions[Math.floor(n / streams)], n)))
console.log('under way')
await all
for (const session of sessions) session.destroy()
console.log(JSON.stringify(Object.fromEntries(statuses)))
