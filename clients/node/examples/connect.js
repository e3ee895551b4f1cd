import { readFileSync } from 'node:fs'
import { createClient, serviceJwtLogin } from '@strongroom/client'
import { keySigner, nodeTransport } from '@strongroom/client/node'

const setting = (name) => {
  const value = process.env[`STRONGROOM_${name}`]
  if (value === undefined) throw new Error(`Set STRONGROOM_${name}.`)
  return value
}

/**
 * Connects as a service account that signs its assertions, and returns the key with this name. The environment gives
 * STRONGROOM_URL, STRONGROOM_CA (PEM file), STRONGROOM_ACCOUNT, STRONGROOM_KEY (PEM file of its private key) and
 * STRONGROOM_VAULT (id).
 */
export function connect(name) {
  const client = createClient({
    url: setting('URL'),
    login: serviceJwtLogin({ account: setting('ACCOUNT'), signer: keySigner(readFileSync(setting('KEY'))) }),
    transport: nodeTransport({ ca: readFileSync(setting('CA')) }),
  })
  return { client, key: client.key(setting('VAULT'), name) }
}
