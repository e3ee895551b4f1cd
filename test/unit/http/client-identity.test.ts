import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createClientAddress, createClientIdentity } from '../../../src/http/pipeline/client-identity.ts'

const identity = createClientIdentity(createClientAddress([]), { proxies: ['192.0.2.1'], proxyHeader: 'X-Client-Cert' })

/** The certificate in a header that comes from the proxy's address. */
function forwarded(header: string) {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.1' })
  const request = new IncomingMessage(socket)
  request.headers['x-client-cert'] = header
  return identity.of(request).certificate()
}

it('a hostile header of a proxy costs as much as it is long', () => {
  const blank = `-----BEGIN CERTIFICATE-----${' '.repeat(7_000)}!-----END CERTIFICATE-----`
  expect(() => forwarded(blank)).toThrow('cannot be read')
  expect(forwarded('-----BEGIN CERTIFICATE-----\n AAAA \n-----END CERTIFICATE-----\n')?.der).toHaveLength(3)
})
